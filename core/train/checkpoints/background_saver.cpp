// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/background_saver.h"

#include "core/base/check.h"
#include "core/base/memory_guard.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace cannery::train {

BackgroundSaver::BackgroundSaver(CheckpointStore& store, const Options& options)
    : m_store(&store), m_options(options)
{}

BackgroundSaver::~BackgroundSaver()
{
    // An error can no longer be reported to anybody; every user has called wait() before.
    static_cast<void>(wait());
}

std::string BackgroundSaver::save(std::vector<plan::StateTensor> state, CheckpointSidecar sidecar)
{
    CANNERY_CHECK(!m_isUnderWay);
    m_isUnderWay = true;
    std::string prefix = m_store->prefix(sidecar.globalStep);
    // The time of the copy, not of the end of writing: retention by the hour counts from it.
    Job job{.sidecar = std::move(sidecar), .savedAt = m_options.clock->wallTime()};
    // Small states are written faster than a thread wakes up. Without memory for a copy, or a
    // thread, training waits instead of failing.
    const bool isSmall = byteCount(state) < m_options.leastBytes;
    if (isSmall || !m_snapshot.take(state, m_options.pool) || !startThread()) {
        finish(write(state, job));
        return prefix;
    }
    {
        const std::lock_guard lock(m_mutex);
        m_job.emplace(std::move(job));
    }
    m_news.notify_all();
    return prefix;
}

void BackgroundSaver::finish(Outcome outcome)
{
    {
        const std::lock_guard lock(m_mutex);
        m_outcome.emplace(std::move(outcome));
        // After the outcome is there: take() reads the flag without the lock.
        m_isDone.store(true, std::memory_order_release);
    }
    m_news.notify_all();
}

/// False if the system cannot start a thread.
bool BackgroundSaver::startThread()
{
    if (m_thread.joinable()) {
        return true;
    }
    try {
        m_thread = std::jthread([this](const std::stop_token& stop) { work(stop); });
    } catch (const std::system_error&) {
        return false;
    }
    return true;
}

void BackgroundSaver::work(const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    while (m_news.wait(lock, stop, [this] { return m_job.has_value(); })) {
        const Job job = *std::exchange(m_job, std::nullopt);
        // The lock guards the job and the outcome only: save() may not wait for the disk.
        lock.unlock();
        Outcome outcome = write(m_snapshot.tensors(), job);
        if (outcome) {
            outcome->wasBehind = true;
        }
        finish(std::move(outcome));
        lock.lock();
    }
}

BackgroundSaver::Outcome BackgroundSaver::write(std::span<const plan::StateTensor> state,
                                                const Job& job)
{
    const double begin = m_options.clock->steadyTime();
    // Nothing above this thread would catch an exception from an allocation.
    Result<std::string> prefix = guardMemory(
        "the checkpoint", [&] { return m_store->save(state, job.sidecar, job.savedAt); });
    if (!prefix) {
        return tl::make_unexpected(
            std::move(prefix)
                .error()
                .with(fmt::format("saving the checkpoint of step {}", job.sidecar.globalStep))
                .with("checkpoints saved before are intact"));
    }
    return Saved{.globalStep = job.sidecar.globalStep,
                 .prefix = *std::move(prefix),
                 .checkpoints = m_store->list(),
                 .writingSeconds = m_options.clock->steadyTime() - begin};
}

std::optional<BackgroundSaver::Outcome> BackgroundSaver::take()
{
    // Called after every step, so it takes no lock while the save goes on.
    if (!m_isUnderWay || !m_isDone.load(std::memory_order_acquire)) {
        return std::nullopt;
    }
    return wait();
}

std::optional<BackgroundSaver::Outcome> BackgroundSaver::wait()
{
    if (!m_isUnderWay) {
        return std::nullopt;
    }
    std::unique_lock lock(m_mutex);
    m_news.wait(lock, [this] { return m_outcome.has_value(); });
    m_isDone.store(false, std::memory_order_relaxed);
    m_isUnderWay = false;
    return std::exchange(m_outcome, std::nullopt);
}

} // namespace cannery::train
