// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation_listener.h"

#include "core/train/evaluator.h"
#include "core/train/training_loop.h"
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

Result<void> EvaluationListener::afterSave(TrainingLoop& loop, BegunCheckpoint checkpoint)
{
    m_prefix = checkpoint.prefix();
    if (m_isFirstSave) {
        m_isFirstSave = false;
        openLedger(loop);
        return {};
    }
    if (loop.isCancelled()) {
        return {};
    }
    if (!m_timer.isDue(loop.globalStep())) {
        loop.observer().logged(
            LogLevel::Info,
            fmt::format("Skip evaluating step {}: throttle_secs ({}) have not passed.",
                        loop.globalStep(), m_options.evalSpec.throttle_secs()));
        return {};
    }
    return evaluateAndExport(loop, &checkpoint);
}

Result<void> EvaluationListener::end(TrainingLoop& loop)
{
    if (m_timer.lastStep() == loop.globalStep() || loop.isCancelled()) {
        return {};
    }
    return evaluateAndExport(loop, nullptr);
}

Result<void> EvaluationListener::evaluateAndExport(TrainingLoop& loop, BegunCheckpoint* checkpoint)
{
    m_timer.mark(loop.globalStep());
    const EvaluationRequest request{.input = m_options.evalSpec.input(),
                                    .steps = m_options.evalSpec.steps(),
                                    .name = m_options.evalSpec.name(),
                                    .checkpoint = m_prefix,
                                    .globalStep = loop.globalStep(),
                                    .clock = m_options.clock,
                                    .stop = m_options.stop,
                                    .control = m_options.control};
    loop.observer().activityChanged("Evaluating");
    CANNERY_TRY_ASSIGN(std::optional<EvaluationResult> result,
                       evaluate(loop.model(), *m_options.rows, request));
    if (checkpoint != nullptr) {
        CANNERY_TRY(checkpoint->commit());
    }
    if (result) {
        CANNERY_TRY(record(loop, std::move(*result)));
    }
    loop.observer().activityChanged("");
    return {};
}

Result<void> EvaluationListener::record(TrainingLoop& loop, EvaluationResult result)
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
    loop.observer().logged(LogLevel::Info, fmt::format("Saving dict for global step {}: {}",
                                                       m_last->globalStep, describe(*m_last)));
    loop.observer().evaluated(*m_last);
    if (m_options.evaluated) {
        m_options.evaluated(*m_last);
    }
    return runExporters(loop, *m_last);
}

std::optional<Error> EvaluationListener::exportFailure() const
{
    for (const std::optional<Error>& failure : m_exportFailures) {
        if (failure) {
            return failure;
        }
    }
    return std::nullopt;
}

/// This also deletes what an engine killed after an export had no time to delete.
void EvaluationListener::openLedger(TrainingLoop& loop)
{
    if (!m_options.exportModel || m_options.exporters.empty()) {
        return;
    }
    Result<ExportLedger> ledger = ExportLedger::open(m_options.modelDir, *m_options.system);
    if (!ledger) {
        m_warnings.push_back(ledger.error().message() +
                             " A new list of exports is started; older exports are kept.");
        loop.observer().logged(LogLevel::Warning, m_warnings.back());
    }
    m_ledger =
        ledger ? *std::move(ledger) : ExportLedger::empty(m_options.modelDir, *m_options.system);
    for (const std::unique_ptr<Exporter>& exporter : m_options.exporters) {
        const auto deleted = m_ledger->trim(exporter->name(), exporter->options().keep);
        if (!deleted) {
            // Retried after the next export.
            loop.observer().logged(LogLevel::Warning, deleted.error().message());
        } else if (!deleted->empty()) {
            tellDeleted(loop, *deleted);
            loop.observer().exportsChanged(m_ledger->all());
        }
    }
}

void EvaluationListener::tellDeleted(TrainingLoop& loop, const std::vector<std::string>& paths)
{
    for (const std::string& path : paths) {
        loop.observer().logged(LogLevel::Info, deletedExportSentence(path));
        std::erase_if(m_exports, [&](const ExportResult& known) { return known.path == path; });
    }
}

Result<void> EvaluationListener::runExporters(TrainingLoop& loop, const EvaluationResult& result)
{
    if (!m_ledger) {
        return {};
    }
    const bool isFinal = m_options.maxSteps && result.globalStep >= *m_options.maxSteps;
    m_exportFailures.resize(m_options.exporters.size());
    for (std::size_t i = 0; i < m_options.exporters.size(); ++i) {
        Exporter& exporter = *m_options.exporters[i];
        CANNERY_TRY_ASSIGN(const std::optional<ExportWish> wish,
                           exporter.afterEvaluation({.modelDir = m_options.modelDir,
                                                     .evaluation = result,
                                                     .isFinal = isFinal,
                                                     .ledger = *m_ledger}));
        if (!wish) {
            continue;
        }
        m_exportFailures[i].reset();
        Result<void> made = make(loop, exporter, *wish);
        if (!made) {
            loop.observer().logged(
                LogLevel::Warning,
                fmt::format("The export of step {} failed, training continues: {}",
                            wish->globalStep, made.error().message()));
            m_exportFailures[i] = std::move(made).error();
        }
    }
    return {};
}

Result<void> EvaluationListener::make(TrainingLoop& loop, const Exporter& exporter,
                                      const ExportWish& wish)
{
    CANNERY_TRY_ASSIGN(ExportResult made,
                       runExport(exporter, wish, m_options.modelDir, m_options.exportModel,
                                 *m_ledger, m_options.clock->wallTime()));
    loop.observer().logged(LogLevel::Info, fmt::format("Exported {}", made.path));
    tellDeleted(loop, made.deleted);
    loop.observer().exportsChanged(m_ledger->all());
    loop.observer().exported(made);
    m_exports.push_back(std::move(made));
    return {};
}

} // namespace cannery::train
