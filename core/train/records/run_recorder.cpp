// SPDX-License-Identifier: Apache-2.0
#include "core/train/records/run_recorder.h"

#include "core/base/printable.h"
#include "core/train/exporters/export_ledger.h"
#include "core/train/records/eval_history.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/io/text_checksum.h"
#include "storage/runs/stray_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>

namespace cannery::train {
namespace {

/// "2026-11-21T14:31:00.123Z".
std::string timeStamp(double wallTime)
{
    const auto milliseconds = static_cast<std::int64_t>(std::floor(wallTime * 1000.0));
    const auto seconds = static_cast<std::time_t>(milliseconds / 1000);
    // The C++ library of older compilers cannot format times.
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    std::array<char, 32> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
    return fmt::format("{}.{:03}Z", std::string(text.data(), size), milliseconds % 1000);
}

std::string_view levelName(LogLevel level)
{
    switch (level) {
    case LogLevel::Info:
        return "info";
    case LogLevel::Warning:
        return "warning";
    case LogLevel::Error:
        return "error";
    }
    return "";
}

bool isOver(storage::RunState state)
{
    return state == storage::RunState::Finished || state == storage::RunState::Stopped ||
           state == storage::RunState::Failed;
}

} // namespace

std::string projectOf(const std::string& runFolder)
{
    std::error_code failure;
    // The folder may not exist yet, so links are not resolved.
    const std::filesystem::path folder = std::filesystem::absolute(runFolder, failure);
    const std::filesystem::path normal = folder.lexically_normal();
    // With a slash at the end, the last part of the path is empty.
    const std::filesystem::path runs =
        normal.has_filename() ? normal.parent_path() : normal.parent_path().parent_path();
    return runs.filename() == storage::kRunsFolder ? runs.parent_path().string() : std::string();
}

RunRecorder::RunRecorder(const Options& options, storage::RunLock lock,
                         std::unique_ptr<storage::WritableFile> log)
    : m_folder(options.folder), m_clock(options.clock), m_system(options.system),
      m_lock(std::move(lock)), m_files(options.folder, *options.system), m_log(std::move(log))
{}

RunRecorder::~RunRecorder() = default;

Result<std::unique_ptr<RunRecorder>> RunRecorder::open(const Options& options)
{
    // Held as long as the recorder lives: nobody else writes here meanwhile.
    CANNERY_TRY_ASSIGN(storage::RunLock lock, storage::RunLock::acquire(options.folder));
    CANNERY_TRY_ASSIGN(
        std::unique_ptr<storage::WritableFile> log,
        options.system->openForAppend(storage::joinPath(options.folder, storage::kRunLogFile)));
    std::unique_ptr<RunRecorder> recorder(
        new RunRecorder(options, std::move(lock), std::move(log)));
    // An evaluator writes into the folder, too: its unfinished files are not left-overs.
    if (!options.hasEvaluator) {
        recorder->clearAway();
    }
    return recorder;
}

/// What killed programs have left.
void RunRecorder::clearAway()
{
    if (const int strays = storage::removeStrayFiles(m_folder, *m_system)) {
        logged(LogLevel::Info,
               fmt::format("Deleted the unfinished files ({}) of a program that was killed here.",
                           strays));
    }
    // What cannot be repaired is reported with the next export.
    Result<ExportLedger> exports = ExportLedger::open(m_folder, *m_system);
    const auto reportDeleted = [&](const std::string& path) {
        logged(LogLevel::Info, deletedExportSentence(path));
    };
    if (const Result<bool> mended = exports ? exports->mend(reportDeleted) : Result<bool>(false);
        mended && *mended) {
        logged(LogLevel::Info, "The list of exports was brought up to date.");
    }
}

Result<void> RunRecorder::describe(storage::RunInfo info, const std::string& frozenExperiment,
                                   std::optional<std::int64_t> maxSteps)
{
    // The folder may have been renamed since: its name is the run's.
    info.name = std::filesystem::path(m_folder).lexically_normal().filename().string();
    info.createdAt = m_clock->wallTime();
    bool wasDescribed = false;
    // A run that goes on keeps the time of its creation, and the statistics of its tags.
    if (const auto before = m_files.readInfo()) {
        wasDescribed = true;
        info.createdAt = before->createdAt;
        CANNERY_TRY_ASSIGN(const std::vector<storage::TagStatistics> earlier,
                           storage::scanTags(m_folder));
        for (const storage::TagStatistics& tag : earlier) {
            m_tags.seed(tag);
        }
    }
    m_info = std::move(info);
    m_status = {.state = storage::RunState::Running,
                .maxSteps = maxSteps,
                .startedAt = m_clock->wallTime(),
                .secondsBefore = wasDescribed ? secondsSoFar() : 0};
    CANNERY_TRY(
        storage::writeFileAtomically(storage::joinPath(m_folder, storage::kFrozenExperimentFile),
                                     storage::withChecksumLine(frozenExperiment), *m_system));
    // Before the status: a folder with a status and no description is nobody's run.
    CANNERY_TRY(m_files.writeInfo(m_info));
    m_status.updatedAt = m_clock->wallTime();
    CANNERY_TRY(m_files.writeStatus(m_status));
    openStore();
    updateStore([&](storage::RunStore& store) -> Result<void> {
        CANNERY_TRY(store.putRun(m_info, m_status));
        // Evaluations and checkpoints of before may be unknown to the store.
        return wasDescribed ? store.refresh(m_info.name) : Result<void>();
    });
    return {};
}

/// Of all sessions that are in the record.
double RunRecorder::secondsSoFar() const
{
    const auto status = m_files.readStatus();
    if (!status) {
        return 0;
    }
    // The time between sessions does not count.
    // A killed session has no end: it lived at least until its last checkpoint.
    double end = status->finishedAt.value_or(status->updatedAt);
    if (const auto saved = m_files.readCheckpoints(); saved && !status->finishedAt) {
        for (const storage::RunCheckpoint& checkpoint : *saved) {
            end = std::max(end, checkpoint.savedAt);
        }
    }
    const double last = status->startedAt ? std::max(0.0, end - *status->startedAt) : 0;
    return status->secondsBefore + last;
}

void RunRecorder::catchUp()
{
    const auto info = m_files.readInfo();
    const auto status = m_files.readStatus();
    const std::string name = std::filesystem::path(m_folder).lexically_normal().filename().string();
    openStore();
    if (!info || !status || !m_store) {
        return;
    }
    // The common case costs one look.
    const auto known = m_store->show(name);
    if (known && known->status == *status) {
        return;
    }
    refreshStore(*info, *status);
}

void RunRecorder::takeOverRecords()
{
    const auto info = m_files.readInfo();
    const auto status = m_files.readStatus();
    openStore();
    if (info && status) {
        refreshStore(*info, *status);
    }
}

void RunRecorder::refreshStore(const storage::RunInfo& info, const storage::RunStatus& status)
{
    const std::string name = std::filesystem::path(m_folder).lexically_normal().filename().string();
    m_info = info;
    m_info.name = name;
    updateStore([&](storage::RunStore& store) -> Result<void> {
        CANNERY_TRY_ASSIGN(const std::vector<storage::TagStatistics> tags,
                           storage::scanTags(m_folder));
        CANNERY_TRY(store.putRun(m_info, status));
        CANNERY_TRY(store.setTags(name, tags));
        return store.refresh(name);
    });
}

void RunRecorder::openStore()
{
    const std::string project = projectOf(m_folder);
    // Only folders below runs/ belong to a project with a store.
    if (project.empty()) {
        return;
    }
    Result<storage::RunStore> store = storage::RunStore::open(project);
    if (store) {
        m_store.emplace(std::move(*store));
    } else {
        logged(LogLevel::Warning, store.error().message());
    }
}

template <typename Update>
void RunRecorder::updateStore(const Update& update)
{
    if (!m_store) {
        return;
    }
    const Result<void> done = update(*m_store);
    if (!done) {
        // Given up for this run: its folder has everything, and a training must not wait for a
        // store.
        m_store.reset();
        logged(LogLevel::Warning,
               "The run store is no longer updated; 'cannery runs rescan' brings it up to date. " +
                   done.error().message());
    }
}

void RunRecorder::note(Result<void> written)
{
    // The first failure is reported; later ones follow from it.
    if (!written && !m_failure) {
        m_failure = std::move(written).error();
    }
}

void RunRecorder::dataLoaded(const DataSummary& data)
{
    logged(LogLevel::Info,
           fmt::format("Training rows: {}, evaluation rows: {}.", data.trainRows, data.evalRows));
    for (const std::string& sentence : data.notes) {
        logged(LogLevel::Info, sentence);
    }
    for (const std::string& warning : data.warnings) {
        logged(LogLevel::Warning, warning);
    }
}

void RunRecorder::stateChanged(storage::RunState state, const std::string& reason)
{
    logged(state == storage::RunState::Failed ? LogLevel::Error : LogLevel::Info,
           fmt::format("{}{}{}", name(state), reason.empty() ? "" : ": ", reason));
    // An equal status is not written again.
    if (m_status.state == state && m_status.reason == reason) {
        return; // describe() has written it
    }
    m_status.state = state;
    m_status.reason = reason;
    // Read by others to find out how long it took.
    if (isOver(state)) {
        m_status.finishedAt = m_clock->wallTime();
    }
    m_status.updatedAt = m_clock->wallTime();
    note(m_files.writeStatus(m_status));
    updateStore([&](storage::RunStore& store) {
        return store.recordState(m_info.name, m_tags.statistics(), m_status);
    });
}

void RunRecorder::started(std::int64_t globalStep, std::optional<std::int64_t> maxSteps)
{
    m_status.globalStep = globalStep;
    m_status.maxSteps = maxSteps;
}

void RunRecorder::stepDone(std::int64_t globalStep, double)
{
    m_status.globalStep = globalStep;
}

void RunRecorder::checkpointSaved(std::int64_t globalStep, const std::string& prefix)
{
    logged(LogLevel::Info, fmt::format("Saved the checkpoint of step {}: {}", globalStep, prefix));
}

void RunRecorder::checkpointsChanged(const std::vector<storage::RunCheckpoint>& checkpoints)
{
    // Before the store, which is only a copy of the files.
    note(m_files.writeCheckpoints(checkpoints));
    m_status.updatedAt = m_clock->wallTime();
    updateStore([&](storage::RunStore& store) {
        return store.recordSave(m_info.name, checkpoints, m_tags.statistics(), m_status);
    });
}

void RunRecorder::evaluated(const EvaluationResult& result)
{
    const storage::RunEvaluation evaluation = result.record(m_clock->wallTime());
    // An evaluator has added it to the list.
    if (result.isRecorded) {
        addTags(result);
    } else {
        note(m_files.addEvaluation(evaluation));
    }
    updateStore(
        [&](storage::RunStore& store) { return store.addEvaluation(m_info.name, evaluation); });
}

/// In float32, as its event file has them.
void RunRecorder::addTags(const EvaluationResult& result)
{
    const std::string folder = storage::baseName(evalFolder(m_folder, result.name));
    for (const metrics::MetricValue& metric : result.metrics) {
        m_tags.add(folder, metric.name, result.globalStep,
                   static_cast<double>(static_cast<float>(metric.value)));
    }
}

void RunRecorder::exportsChanged(const std::vector<storage::RunExport>& exports)
{
    updateStore([&](storage::RunStore& store) { return store.setExports(m_info.name, exports); });
}

void RunRecorder::scalarLogged(std::string_view folder, std::string_view tag, std::int64_t step,
                               double value)
{
    m_tags.add(folder, tag, step, value);
}

void RunRecorder::logged(LogLevel level, std::string_view sentence)
{
    noted(level, "-", sentence);
}

/// One line for each entry, whatever the sentence contains.
void RunRecorder::noted(LogLevel level, std::string_view id, std::string_view sentence)
{
    const std::string line = fmt::format("{} {} {} {}\n", timeStamp(m_clock->wallTime()),
                                         levelName(level), id, printable(sentence));
    // A log that cannot be written (a full disk) must not hide what is being logged.
    (void)m_log->append(std::string_view(line)).and_then([&] { return m_log->flush(); });
}

} // namespace cannery::train
