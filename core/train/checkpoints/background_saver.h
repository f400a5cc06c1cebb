// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/train/checkpoints/checkpoint_store.h"
#include "core/train/checkpoints/state_snapshot.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace cannery::train {

/// Saves checkpoints while training continues: save() returns once the state has been copied, and a
/// separate thread writes the copy to disk, together with everything that makes it the newest
/// checkpoint. The result is byte for byte that of CheckpointStore::save().
///
/// The caller itself writes a small state immediately, as well as one for whose copy there is not
/// enough memory. The thread starts with the first large state. All calls come from the training
/// thread, the only one that learns how a save ended; each outcome is reported exactly once.
class BackgroundSaver
{
public:
    struct Options
    {
        kernels::ThreadPool* pool = nullptr;        ///< used for copying; only the caller if null
        std::size_t leastBytes = kLeastBytesBehind; ///< smaller states are written immediately
        const Clock* clock = &systemClock();
    };

    /// A committed checkpoint.
    struct Saved
    {
        std::int64_t globalStep = 0;
        std::string prefix;
        std::vector<storage::RunCheckpoint> checkpoints; ///< all now on disk
        bool wasBehind = false;                          ///< written by the thread
        double writingSeconds = 0;                       ///< whichever thread wrote it
    };
    using Outcome = Result<Saved>;

    /// The store must outlive the saver, and belongs to it while a save is in progress.
    BackgroundSaver(CheckpointStore& store, const Options& options);
    /// Waits until the current save is done.
    ~BackgroundSaver();
    BackgroundSaver(const BackgroundSaver&) = delete;
    BackgroundSaver& operator=(const BackgroundSaver&) = delete;

    /// Saves the current state; returns the prefix that it will have. Only if no save is in
    /// progress: wait() first.
    std::string save(std::vector<plan::StateTensor> state, CheckpointSidecar sidecar);

    /// How the last save ended; nothing while it is in progress, or if already reported.
    std::optional<Outcome> take();
    /// The same, after waiting for it to end.
    std::optional<Outcome> wait();

private:
    /// What is written besides the tensors.
    struct Job
    {
        CheckpointSidecar sidecar;
        double savedAt = 0; ///< seconds since 1970
    };

    bool startThread();
    void finish(Outcome outcome);
    void work(const std::stop_token& stop);
    Outcome write(std::span<const plan::StateTensor> state, const Job& job);

    CheckpointStore* m_store;
    Options m_options;
    StateSnapshot m_snapshot;
    bool m_isUnderWay = false; ///< training thread only: started and not reported yet
    std::atomic<bool> m_isDone = false;

    std::mutex m_mutex;
    std::condition_variable_any m_news;
    std::optional<Job> m_job;         ///< guarded, like the next
    std::optional<Outcome> m_outcome; ///< set by the thread
    std::jthread m_thread;            ///< last: must end before the members it uses
};

} // namespace cannery::train
