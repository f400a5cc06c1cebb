// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/train/checkpoint_store.h"
#include "core/train/state_snapshot.h"

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

/// Saves checkpoints while training goes on: save() returns when the state has been copied, and a
/// thread of its own brings the copy to the disk, with everything that makes it the newest
/// checkpoint. What is written is the same as from CheckpointStore::save(), byte for byte.
///
/// A small state is written at once by the caller, as is one for whose copy there is no memory.
/// The thread begins with the first large state. All calls come from the training thread, which
/// alone learns how a save has ended: nothing is told twice, and nothing gets lost.
class BackgroundSaver
{
public:
    struct Options
    {
        kernels::ThreadPool* pool = nullptr;        ///< copies; null: the caller alone
        std::size_t leastBytes = kLeastBytesBehind; ///< less is written at once
        const Clock* clock = &systemClock();
    };

    /// A checkpoint that is committed.
    struct Saved
    {
        std::int64_t globalStep = 0;
        std::string prefix;
        std::vector<storage::RunCheckpoint> checkpoints; ///< all on disk now
        bool wasBehind = false;                          ///< written by the thread
        double writingSeconds = 0;                       ///< by whoever wrote it
    };
    using Outcome = Result<Saved>;

    /// The store must outlive the saver, and is the saver's as long as a save is under way.
    BackgroundSaver(CheckpointStore& store, const Options& options);
    /// Waits until the save under way is done.
    ~BackgroundSaver();
    BackgroundSaver(const BackgroundSaver&) = delete;
    BackgroundSaver& operator=(const BackgroundSaver&) = delete;

    /// Saves the state as it is now; gives the prefix that it will have. Only when nothing is under
    /// way: wait() first.
    std::string save(std::vector<plan::StateTensor> state, CheckpointSidecar sidecar);

    /// How the last save ended; nothing while it is under way, or when it was told before.
    std::optional<Outcome> take();
    /// The same, after waiting for it to end.
    std::optional<Outcome> wait();

private:
    /// What is to be written beside the tensors.
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
    bool m_isUnderWay = false; ///< of the training thread: begun and not told yet
    std::atomic<bool> m_isDone = false;

    std::mutex m_mutex;
    std::condition_variable_any m_news;
    std::optional<Job> m_job;         ///< guarded, as is the next
    std::optional<Outcome> m_outcome; ///< of the thread
    std::jthread m_thread;            ///< last: ends before what it uses
};

} // namespace cannery::train
