#include "core/train/evaluation_listener.h"

#include "core/train/evaluator.h"
#include "core/train/session.h"
#include "storage/io/files.h"

namespace cannery::train {
namespace {

std::string folderName(const std::string& evalName)
{
    return evalName.empty() ? "eval" : "eval_" + evalName;
}

} // namespace

EvaluationListener::EvaluationListener(Options options)
    : m_options(std::move(options)),
      m_timer(Cadence::everySeconds(static_cast<double>(m_options.evalSpec.throttle_secs())),
              *m_options.clock)
{}

Result<void> EvaluationListener::afterSave(Session& session, BegunCheckpoint checkpoint)
{
    m_prefix = checkpoint.prefix();
    if (m_isFirstSave) {
        m_isFirstSave = false;
        return {};
    }
    if (session.isCancelled()) {
        return {};
    }
    if (!m_timer.isDue(session.globalStep())) {
        session.observer().logged(
            LogLevel::Info, fmt::format("Skip evaluating step {}: throttle_secs ({}) are not over.",
                                        session.globalStep(), m_options.evalSpec.throttle_secs()));
        return {};
    }
    return evaluateAndExport(session, &checkpoint);
}

Result<void> EvaluationListener::end(Session& session)
{
    if (m_timer.lastStep() == session.globalStep() || session.isCancelled()) {
        return {};
    }
    return evaluateAndExport(session, nullptr);
}

Result<void> EvaluationListener::evaluateAndExport(Session& session, BegunCheckpoint* checkpoint)
{
    m_timer.mark(session.globalStep());
    const EvaluationRequest request{.input = m_options.evalSpec.input(),
                                    .steps = m_options.evalSpec.steps(),
                                    .name = m_options.evalSpec.name(),
                                    .checkpoint = m_prefix,
                                    .globalStep = session.globalStep(),
                                    .clock = m_options.clock,
                                    .stop = m_options.stop,
                                    .control = m_options.control};
    session.observer().activityChanged("Evaluating");
    CANNERY_TRY_ASSIGN(std::optional<EvaluationResult> result,
                       evaluate(session.model(), *m_options.rows, request));
    if (checkpoint != nullptr) {
        CANNERY_TRY(checkpoint->commit());
    }
    if (result) {
        CANNERY_TRY(record(session, std::move(*result)));
    }
    session.observer().activityChanged("");
    return {};
}

Result<void> EvaluationListener::record(Session& session, EvaluationResult result)
{
    if (!m_recorder) {
        CANNERY_TRY_ASSIGN(m_recorder, SummaryRecorder::create({.modelDir = m_options.modelDir,
                                                                .folder = folderName(result.name),
                                                                .clock = m_options.clock,
                                                                .observer = m_options.observer,
                                                                .system = m_options.system}));
    }
    m_last = std::move(result);
    CANNERY_TRY(m_recorder->evaluation(*m_last));
    session.observer().logged(LogLevel::Info, fmt::format("Saving dict for global step {}: {}",
                                                          m_last->globalStep, describe(*m_last)));
    session.observer().evaluated(*m_last);
    return runExporters(session, *m_last);
}

Result<void> EvaluationListener::runExporters(Session& session, const EvaluationResult& result)
{
    if (!m_options.exportModel) {
        return {};
    }
    const bool isFinal = m_options.maxSteps && result.globalStep >= *m_options.maxSteps;
    for (const auto& exporter : m_options.exporters) {
        CANNERY_TRY_ASSIGN(std::optional<ExportResult> made,
                           exporter->afterEvaluation({.modelDir = m_options.modelDir,
                                                      .evaluation = result,
                                                      .isFinal = isFinal,
                                                      .exportModel = m_options.exportModel}));
        if (made) {
            session.observer().logged(LogLevel::Info, "Exported " + made->path);
            session.observer().exported(*made);
            // Those that exporters have replaced since are no news, and would only pile up.
            std::erase_if(m_exports, [](const ExportResult& earlier) {
                return !storage::exists(earlier.path);
            });
            m_exports.push_back(*std::move(made));
        }
    }
    return {};
}

} // namespace cannery::train
