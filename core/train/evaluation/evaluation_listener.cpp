// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/evaluation_listener.h"

#include "core/train/evaluation/evaluator.h"
#include "core/train/loop/training_loop.h"
namespace cannery::train {
EvaluationListener::EvaluationListener(Options options)
    : m_options(std::move(options)), m_recorder(std::move(m_options.recorder)),
      m_timer(Cadence::everySeconds(
                  static_cast<double>(m_options.experiment->eval_spec().throttle_secs())),
              *m_options.clock)
{}

Result<void> EvaluationListener::afterSave(TrainingLoop& loop, BegunCheckpoint checkpoint)
{
    m_prefix = checkpoint.prefix();
    // TensorFlow, too, saves at the start and does not evaluate that checkpoint.
    if (m_isFirstSave) {
        m_isFirstSave = false;
        m_recorder.openExports();
        return {};
    }
    // A cancelled training ends as soon as it can.
    if (loop.isCancelled()) {
        return {};
    }
    if (!m_timer.isDue(loop.globalStep())) {
        loop.observer().logged(
            LogLevel::Info,
            fmt::format("Skip evaluating step {}: throttle_secs ({}) have not passed.",
                        loop.globalStep(), m_options.experiment->eval_spec().throttle_secs()));
        return {};
    }
    return evaluateAndExport(loop, &checkpoint);
}

Result<void> EvaluationListener::end(TrainingLoop& loop)
{
    // The last checkpoint has been evaluated if its save was due for it.
    if (m_timer.lastStep() == loop.globalStep() || loop.isCancelled()) {
        return {};
    }
    return evaluateAndExport(loop, nullptr);
}

Result<void> EvaluationListener::evaluateAndExport(TrainingLoop& loop, BegunCheckpoint* checkpoint)
{
    // From the start of the evaluation: its own time does not count as throttling.
    m_timer.mark(loop.globalStep());
    EvaluationRequest request = evaluationOf(*m_options.experiment);
    request.slices = m_options.slices;
    request.checkpoint = m_prefix;
    request.globalStep = loop.globalStep();
    request.clock = m_options.clock;
    request.stop = m_options.stop;
    request.control = m_options.control;
    loop.observer().activityChanged("Evaluating");
    CANNERY_TRY_ASSIGN(std::optional<EvaluationResult> result,
                       evaluate(loop.model(), *m_options.rows, request));
    // What was evaluated must be on the disk before it is recorded or exported.
    if (checkpoint != nullptr) {
        CANNERY_TRY(checkpoint->commit());
    }
    if (result) {
        CANNERY_TRY(m_recorder.record(std::move(*result)));
    }
    loop.observer().activityChanged("");
    return {};
}

} // namespace cannery::train
