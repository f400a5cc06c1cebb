// SPDX-License-Identifier: Apache-2.0
#include "core/launch/queue_runner.h"

#include "core/base/clock.h"
#include "core/base/exit_code.h"
#include "core/base/utf8.h"
#include "core/launch/child_process.h"
#include "core/launch/experiment_copy.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/process_identity.h"
#include "storage/runs/queue_lock.h"
#include "storage/runs/queue_store.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <thread>

namespace cannery::launch {

namespace fs = std::filesystem;

namespace {

constexpr ErrorKind kNotAbsolute{
    "queue.not_absolute",
    "The entry's experiment file '{}' is not an absolute path; remove the entry and add it again."};
/// How often an hour a killed engine of a queue is restarted from its last checkpoint.
constexpr const char* kRestarts = "3";
constexpr auto kLookEvery = std::chrono::milliseconds(500);

std::vector<std::string> trainArguments(const storage::QueueEntry& entry, const std::string& copy)
{
    std::vector<std::string> words{"train",   entry.experimentFile, "--copy", copy, "--json",
                                   "--quiet", "--restarts",         kRestarts};
    for (const std::string& override : entry.overrides) {
        words.insert(words.end(), {"--set", override});
    }
    return words;
}

/// It is complete, or was asked to end and continues on request.
bool hasSaved(const ExitStatus& status)
{
    constexpr std::array kCodes{ExitCode::Done, ExitCode::HungUp, ExitCode::Interrupted,
                                ExitCode::Terminated};
    return std::any_of(kCodes.begin(), kCodes.end(),
                       [&](ExitCode code) { return status.exitedWith(code); });
}

/// The newest run that this entry became, or empty.
Result<std::string> runOf(storage::RunStore& store, const storage::QueueEntry& entry)
{
    CANNERY_TRY_ASSIGN(const std::vector<storage::RunSummary> runs, store.list());
    for (const storage::RunSummary& run : runs) {
        // The same file may have been trained before; this entry's run is younger than the entry.
        if (run.info.experimentFile == entry.experimentFile &&
            run.info.createdAt >= entry.startedAt.value_or(entry.addedAt)) {
            return run.info.name;
        }
    }
    return std::string();
}

class QueueRunner
{
public:
    QueueRunner(storage::RunStore& store, const QueueRunRequest& request)
        : m_store(store), m_queue(store.database()), m_request(request)
    {}

    /// Handles the entries of a runner that died: their runs, if any, continue on their own and are
    /// waited for.
    Result<void> recover()
    {
        CANNERY_TRY_ASSIGN(const std::vector<storage::QueueEntry> entries, m_queue.list());
        for (const storage::QueueEntry& entry : entries) {
            if (entry.state != storage::QueueState::Started ||
                storage::isProcessAlive(entry.processId, entry.processStart)) {
                continue;
            }
            CANNERY_TRY_ASSIGN(const std::string run, runOf(m_store, entry));
            // It died before its run began.
            if (run.empty()) {
                CANNERY_TRY(m_queue.putBack(entry.id));
                continue;
            }
            waitFor(m_store.folderOf(run));
            CANNERY_TRY(m_queue.finish(entry.id));
        }
        return {};
    }

    Result<void> runAll()
    {
        while (!m_request.stop.load()) {
            CANNERY_TRY_ASSIGN(const std::optional<storage::QueueEntry> entry,
                               m_queue.takeNext(systemClock().wallTime()));
            if (!entry) {
                return {};
            }
            CANNERY_TRY(train(*entry));
        }
        return {};
    }

    Result<void> runOne(std::int64_t id)
    {
        CANNERY_TRY_ASSIGN(const storage::QueueEntry entry,
                           m_queue.take(id, systemClock().wallTime()));
        return train(entry);
    }

private:
    void waitFor(const std::string& runFolder) const
    {
        while (storage::RunLock::owner(runFolder) && !m_request.stop.load()) {
            std::this_thread::sleep_for(kLookEvery);
        }
    }

    Result<void> train(const storage::QueueEntry& entry)
    {
        // Someone else's store may hold a file name that would be parsed as an option.
        if (!fs::path(entry.experimentFile).is_absolute()) {
            return m_queue.fail(
                entry.id,
                error(ErrorCode::DataLoss, kNotAbsolute, toUtf8(entry.experimentFile)).message());
        }
        m_request.note(fmt::format("entry {}: training {}", entry.id, entry.experimentFile));
        Result<ChildOutcome> outcome = start(entry);
        if (!outcome) {
            return m_queue.fail(entry.id, outcome.error().message());
        }
        const bool isDone = hasSaved(outcome->status);
        CANNERY_TRY_ASSIGN(const std::string run, runOf(m_store, entry));
        // The title is known to the store only when the run exists.
        if (!run.empty() && !entry.title.empty()) {
            CANNERY_TRY(storage::AnnotationStore(m_store.database()).setTitle(run, entry.title));
        }
        // A run that failed records that itself: the entry is over in any case.
        if (isDone || !run.empty()) {
            m_request.note(fmt::format("entry {}: {}", entry.id, run.empty() ? "done" : run));
            return m_queue.finish(entry.id);
        }
        const std::string reason = failureOf(*outcome).sentence;
        m_request.note(fmt::format("entry {}: {}", entry.id, reason));
        return m_queue.fail(entry.id, reason);
    }

    Result<ChildOutcome> start(const storage::QueueEntry& entry)
    {
        CANNERY_TRY_ASSIGN(const ExperimentCopy copy,
                           ExperimentCopy::write(entry.experimentFile, entry.experimentText));
        return runSelf(trainArguments(entry, copy.file()), m_request.stop);
    }

    storage::RunStore& m_store;
    storage::QueueStore m_queue;
    const QueueRunRequest& m_request;
};

} // namespace

Result<bool> runQueue(const QueueRunRequest& request)
{
    CANNERY_TRY_ASSIGN(storage::RunStore store, storage::RunStore::open(request.project));
    {
        // Another runner of the project is at work.
        CANNERY_TRY_ASSIGN(const std::optional<storage::QueueLock> lock,
                           storage::QueueLock::tryAcquire(request.project));
        if (!lock) {
            return false;
        }
        QueueRunner runner(store, request);
        CANNERY_TRY(runner.recover());
        CANNERY_TRY(runner.runAll());
    }
    return true;
}

Result<void> runQueueEntry(const QueueRunRequest& request, std::int64_t id)
{
    CANNERY_TRY_ASSIGN(storage::RunStore store, storage::RunStore::open(request.project));
    return QueueRunner(store, request).runOne(id);
}

} // namespace cannery::launch
