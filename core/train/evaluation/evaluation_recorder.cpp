// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/evaluation_recorder.h"

#include "core/base/folder_name.h"
#include "core/train/evaluation/evaluator.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"

namespace cannery::train {
namespace {

constexpr ErrorKind kEvaluationName{
    "train.evaluation_name",
    "The name of the eval_spec is used in a folder name, but '{}' is not valid there; change it."};

std::string folderName(const std::string& evalName)
{
    return evalName.empty() ? "eval" : "eval_" + evalName;
}

} // namespace

Result<void> EvaluationRecorder::checkName(const spec::EvalSpec& evalSpec)
{
    const std::string& name = evalSpec.name();
    if (!name.empty() && !isFolderName(name)) {
        return fail(ErrorCode::InvalidArgument, kEvaluationName, name.c_str());
    }
    return {};
}

EvaluationRecorder::EvaluationRecorder(Options options) : m_options(std::move(options)) {}

void EvaluationRecorder::log(LogLevel level, const std::string& sentence)
{
    m_options.observer->logged(level, sentence);
}

void EvaluationRecorder::openExports()
{
    // Without exporters no list of exports is kept.
    if (!m_options.exportModel || m_options.exporters.empty()) {
        return;
    }
    Result<ExportLedger> ledger = ExportLedger::open(m_options.modelDir, *m_options.system);
    if (!ledger) {
        m_warnings.push_back(ledger.error().message() +
                             " A new list of exports is started; older exports are kept.");
        log(LogLevel::Warning, m_warnings.back());
    }
    // A damaged list is started again; nothing that it named is deleted.
    m_ledger =
        ledger ? *std::move(ledger) : ExportLedger::empty(m_options.modelDir, *m_options.system);
    for (const std::unique_ptr<Exporter>& exporter : m_options.exporters) {
        const auto deleted = m_ledger->trim(exporter->name(), exporter->options().keep);
        if (!deleted) {
            // Retried after the next export.
            log(LogLevel::Warning, deleted.error().message());
        } else if (!deleted->empty()) {
            reportDeleted(*deleted);
            m_options.observer->exportsChanged(m_ledger->all());
        }
    }
}

Result<void> EvaluationRecorder::record(EvaluationResult result)
{
    // The event file begins with the first evaluation, as a folder of none would be empty in
    // TensorBoard.
    if (!m_summaries) {
        CANNERY_TRY_ASSIGN(m_summaries, SummaryRecorder::create({.modelDir = m_options.modelDir,
                                                                 .folder = folderName(result.name),
                                                                 .clock = m_options.clock,
                                                                 .observer = m_options.observer,
                                                                 .system = m_options.system}));
    }
    if (!result.note.empty()) {
        log(LogLevel::Info, result.note);
    }
    m_last = std::move(result);
    CANNERY_TRY(m_summaries->evaluation(*m_last));
    log(LogLevel::Info,
        fmt::format("Saving dict for global step {}: {}", m_last->globalStep, describe(*m_last)));
    // After the summary: observers may read the file.
    m_options.observer->evaluated(*m_last);
    if (m_options.evaluated) {
        m_options.evaluated(*m_last);
    }
    return runExporters(*m_last);
}

std::optional<Error> EvaluationRecorder::exportFailure() const
{
    for (const std::optional<Error>& failure : m_exportFailures) {
        if (failure) {
            return failure;
        }
    }
    return std::nullopt;
}

void EvaluationRecorder::reportDeleted(const std::vector<std::string>& paths)
{
    for (const std::string& path : paths) {
        log(LogLevel::Info, deletedExportSentence(path));
        // A deleted export is not a result of this training.
        std::erase_if(m_exports, [&](const ExportResult& known) { return known.path == path; });
    }
}

Result<void> EvaluationRecorder::runExporters(const EvaluationResult& result)
{
    if (!m_ledger) {
        return {};
    }
    // A final exporter waits for the last step, which only max_steps defines.
    const bool isFinal = m_options.maxSteps && result.globalStep >= *m_options.maxSteps;
    m_exportFailures.resize(m_options.exporters.size());
    for (std::size_t i = 0; i < m_options.exporters.size(); ++i) {
        Exporter& exporter = *m_options.exporters[i];
        CANNERY_TRY_ASSIGN(const std::optional<RequestedExport> request,
                           exporter.afterEvaluation({.modelDir = m_options.modelDir,
                                                     .evaluation = result,
                                                     .isFinal = isFinal,
                                                     .ledger = *m_ledger}));
        if (!request) {
            continue;
        }
        // A later export that succeeds makes up for a failed one.
        m_exportFailures[i].reset();
        Result<void> made = make(exporter, *request);
        if (made) {
            continue;
        }
        log(LogLevel::Warning, fmt::format("The export of step {} failed, training continues: {}",
                                           request->globalStep, made.error().message()));
        // If the checkpoint was deleted meanwhile, nothing is left to export: training is not at
        // fault.
        if (storage::checkpointExists(request->checkpoint)) {
            m_exportFailures[i] = std::move(made).error();
        }
    }
    return {};
}

Result<void> EvaluationRecorder::make(const Exporter& exporter, const RequestedExport& request)
{
    CANNERY_TRY_ASSIGN(ExportResult made,
                       runExport(exporter, request, m_options.modelDir, m_options.exportModel,
                                 *m_ledger, m_options.clock->wallTime()));
    log(LogLevel::Info, fmt::format("Exported {}", made.path));
    reportDeleted(made.deleted);
    m_options.observer->exportsChanged(m_ledger->all());
    m_options.observer->exported(made);
    m_exports.push_back(std::move(made));
    return {};
}

} // namespace cannery::train
