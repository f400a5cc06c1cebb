// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/thread_pool.h"

#include "core/base/check.h"
#include "kernels/device/block_count.h"
#include "kernels/device/float_control.h"

#include <algorithm>
#include <sched.h>
#include <thread>

#include <chrono>
#include <exception>
#include <new>

namespace cannery::kernels {

namespace {

/// A step's passes, and steps, follow each other faster than that, and waking a sleeping worker may
/// take as long. How long a pause in a loop takes differs by a factor of ten between processors, so
/// the clock is read, which takes as long as a few of them.
constexpr std::chrono::microseconds kSpinTime(50);
constexpr int kPausesPerLook = 8;

/// Waits for a short time; returns whether the condition came true in it.
template <typename Condition>
bool comesSoon(const Condition& condition)
{
    const auto end = std::chrono::steady_clock::now() + kSpinTime;
    do {
        for (int pause = 0; pause < kPausesPerLook; ++pause) {
            if (condition()) {
                return true;
            }
            pauseInLoop();
        }
    } while (std::chrono::steady_clock::now() < end);
    // It may have come true during the last pauses.
    return condition();
}

constexpr std::align_val_t kScratchAlignment{64};
constexpr std::uint64_t kRemainingMask = 0xFFFFFFFFU;

} // namespace

void ThreadPool::AlignedDelete::operator()(float* memory) const
{
    ::operator delete[](memory, kScratchAlignment);
}

ThreadPool::ThreadPool(int threads)
{
    CANNERY_CHECK(threads >= 1);
    const auto bytes = static_cast<std::size_t>(threads) * kScratchFloats * sizeof(float);
    m_scratch.reset(static_cast<float*>(::operator new[](bytes, kScratchAlignment)));
    m_workers.reserve(static_cast<std::size_t>(threads - 1));
    try {
        for (int worker = 1; worker < threads; ++worker) {
            m_workers.emplace_back(
                [this, worker](const std::stop_token& stop) { work(stop, worker); });
        }
    } catch (const std::exception&) {
        // Out of threads or memory: fewer threads compute the same bits.
    }
}

ThreadPool::~ThreadPool()
{
    for (std::jthread& worker : m_workers) {
        // All are asked to stop before any is woken up.
        worker.request_stop();
    }
    m_wake.fetch_add(1, std::memory_order_release);
    m_wake.notify_all();
    m_workers.clear();
}

std::span<float> ThreadPool::scratch(int worker)
{
    return {m_scratch.get() + worker * kScratchFloats, static_cast<std::size_t>(kScratchFloats)};
}

void ThreadPool::parallelFor(std::int64_t blockCount, BlockFunction function)
{
    // A single block is not worth waking anybody.
    if (m_workers.empty() || blockCount <= 1) {
        for (std::int64_t block = 0; block < blockCount; ++block) {
            BlockCount::add(0);
            function(block, 0);
        }
        return;
    }
    // Workers compute with the caller's rounding and denormals.
    m_job.floatControl = floatControl();
    start(m_job, blockCount, function);
    finish(m_job);
}

void ThreadPool::offer(std::int64_t blockCount, const std::function<void(std::int64_t)>& block)
{
    CANNERY_CHECK(m_offered.unfinished.load(std::memory_order_acquire) == 0);
    if (blockCount > 0) {
        m_offeredBlock = {&block};
        start(m_offered, blockCount, m_offeredBlock);
    }
}

void ThreadPool::finishOffered()
{
    finish(m_offered);
}

void ThreadPool::start(Job& job, std::int64_t blockCount, BlockFunction function)
{
    CANNERY_CHECK(blockCount <= static_cast<std::int64_t>(kRemainingMask));
    job.function = function;
    job.blockCount = static_cast<std::uint32_t>(blockCount);
    // Before the tickets: whoever takes one sees these fields.
    job.unfinished.store(job.blockCount, std::memory_order_relaxed);
    const std::uint32_t generation = m_wake.load(std::memory_order_relaxed) + 1;
    job.tickets.store(std::uint64_t{generation} << 32 | job.blockCount, std::memory_order_release);
    m_wake.store(generation, std::memory_order_release);
    m_wake.notify_all();
}

void ThreadPool::finish(Job& job)
{
    // The caller works, too.
    while (runOneBlock(job, 0)) {
    }
    // No blocks are left to take; some may still be running.
    if (comesSoon([&job] { return job.unfinished.load(std::memory_order_acquire) == 0; })) {
        return;
    }
    while (const std::uint32_t unfinished = job.unfinished.load(std::memory_order_acquire)) {
        job.unfinished.wait(unfinished, std::memory_order_acquire);
    }
}

bool ThreadPool::runOneBlock(Job& job, int worker)
{
    std::uint64_t tickets = job.tickets.load(std::memory_order_acquire);
    do {
        if ((tickets & kRemainingMask) == 0) {
            return false;
        }
    } while (!job.tickets.compare_exchange_weak(tickets, tickets - 1, std::memory_order_acq_rel));
    // Holding an unfinished block prevents the caller from starting another generation, so the
    // job's fields are those of this one.
    const std::uint32_t remaining = static_cast<std::uint32_t>(tickets & kRemainingMask);
    if (worker != 0 && job.floatControl) {
        setFloatControl(*job.floatControl);
    }
    BlockCount::add(worker);
    job.function(job.blockCount - remaining, worker);
    // The last one to finish wakes the caller.
    if (job.unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        job.unfinished.notify_one();
    }
    return true;
}

LentThreads lend(ThreadPool& pool)
{
    return {.count = pool.threadCount(),
            .run = [&pool](std::int64_t count, const std::function<void(std::int64_t)>& block) {
                const auto one = [&block](std::int64_t index, int) { block(index); };
                pool.parallelFor(count, one);
            }};
}

IdleThreads lendIdle(ThreadPool& pool)
{
    if (pool.threadCount() == 1) {
        // Without other threads nobody is idle.
        return {};
    }
    return {.offer =
                [&pool](std::int64_t count, const std::function<void(std::int64_t)>& block) {
                    pool.offer(count, block);
                },
            .finish = [&pool] { pool.finishOffered(); }};
}

void ThreadPool::work(const std::stop_token& stop, int worker)
{
    std::uint32_t seen = 0;
    while (!stop.stop_requested()) {
        const auto isWoken = [&] { return m_wake.load(std::memory_order_acquire) != seen; };
        if (!comesSoon(isWoken)) {
            m_wake.wait(seen, std::memory_order_acquire);
        }
        seen = m_wake.load(std::memory_order_acquire);
        // The job of the caller comes first; what was offered waits for idle threads.
        while (runOneBlock(m_job, worker)) {
        }
        while (!isWoken() && runOneBlock(m_offered, worker)) {
        }
    }
}

int threadCount(long long configured)
{
    if (configured > 0) {
        return static_cast<int>(std::min<long long>(configured, 1024));
    }
    cpu_set_t cores;
    CPU_ZERO(&cores);
    // A container may be allowed fewer cores than there are.
    if (sched_getaffinity(0, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) > 0) {
        return CPU_COUNT(&cores);
    }
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace cannery::kernels
