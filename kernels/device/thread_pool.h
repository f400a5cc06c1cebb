// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace cannery::kernels {

/// A borrowed callable `void(std::int64_t block, int worker)`; it must outlive the call it is
/// passed to. Never allocates.
class BlockFunction
{
public:
    template <typename Callable>
    BlockFunction(const Callable& callable)
        : m_object(&callable), m_call([](const void* object, std::int64_t block, int worker) {
              (*static_cast<const Callable*>(object))(block, worker);
          })
    {}
    BlockFunction() = default;

    void operator()(std::int64_t block, int worker) const { m_call(m_object, block, worker); }

private:
    const void* m_object = nullptr;
    void (*m_call)(const void*, std::int64_t, int) = nullptr;
};

/// The engine's only thread pool. The caller of parallelFor works too, so a pool of one thread has
/// no thread of its own and no overhead.
///
/// The assignment of blocks to threads is arbitrary, so a kernel's blocks are a function of its
/// shapes alone, write to disjoint memory and never sum across blocks: then the bits are the same
/// for any number of threads. A worker spins for some microseconds before it sleeps; if a worker is
/// late (its core was taken), the others do its blocks.
class ThreadPool
{
public:
    /// Floats of private scratch memory per worker, 64-byte aligned.
    static constexpr std::int64_t kScratchFloats = 128 * 1024;

    /// `threads` includes the caller; at least 1.
    explicit ThreadPool(int threads = 1);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threadCount() const { return static_cast<int>(m_workers.size()) + 1; }

    /// Calls function(block, worker) once for each block in [0, blockCount) and returns when all
    /// are done. Workers compute in the caller's floating-point mode (FlushDenormals). `worker` is
    /// in [0, threadCount()) and never in two calls at once. One caller at a time; must not be
    /// called from within a block.
    void parallelFor(std::int64_t blockCount, BlockFunction function);

    /// Offers blocks to workers that have none of parallelFor to compute: each is called once,
    /// before finishOffered() returns; until then `block` must live, and the caller may use
    /// parallelFor. For moving data: the floating-point mode is the worker's. One offer at a time.
    void offer(std::int64_t blockCount, const std::function<void(std::int64_t)>& block);
    /// The caller does what nobody has begun of the offer, if there is one, and waits for the rest.
    void finishOffered();

    /// The scratch memory of a worker; its contents are valid for one block.
    std::span<float> scratch(int worker);

private:
    /// Blocks that are handed out one after the other.
    struct Job
    {
        /// generation << 32 | number of blocks not taken yet
        alignas(64) std::atomic<std::uint64_t> tickets{0};
        alignas(64) std::atomic<std::uint32_t> unfinished{0};
        BlockFunction function;
        std::uint32_t blockCount = 0;
        std::optional<unsigned> floatControl; ///< the caller's rounding and flushing mode, or any
    };

    struct OfferedBlock
    {
        const std::function<void(std::int64_t)>* block = nullptr;

        void operator()(std::int64_t index, int) const { (*block)(index); }
    };

    void work(const std::stop_token& stop, int worker);
    void start(Job& job, std::int64_t blockCount, BlockFunction function);
    static void finish(Job& job);
    static bool runOneBlock(Job& job, int worker);

    struct AlignedDelete
    {
        void operator()(float* memory) const;
    };

    Job m_job;     ///< of parallelFor
    Job m_offered; ///< of offer
    OfferedBlock m_offeredBlock;
    alignas(64) std::atomic<std::uint32_t> m_wake{0};
    std::unique_ptr<float, AlignedDelete> m_scratch;
    std::vector<std::jthread> m_workers;
};

/// The pool's threads for code that does not know the pool, while nothing else uses them.
LentThreads lend(ThreadPool& pool);
/// The pool's workers for code that does not know the pool, whenever nothing else uses them.
IdleThreads lendIdle(ThreadPool& pool);

/// How a flat range of `count` elements is split: blocks of `blockSize`, the last one shorter.
struct BlockRange
{
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// Calls function(BlockRange, worker) over fixed blocks of `blockSize` elements.
template <typename Callable>
void forEachBlock(ThreadPool& pool, std::int64_t count, std::int64_t blockSize, Callable&& function)
{
    if (count <= 0) {
        return;
    }
    if (count <= blockSize) {
        function(BlockRange{0, count}, 0);
        return;
    }
    const auto runBlock = [&](std::int64_t block, int worker) {
        const std::int64_t first = block * blockSize;
        const std::int64_t left = count - first;
        function(BlockRange{first, left < blockSize ? left : blockSize}, worker);
    };
    pool.parallelFor((count + blockSize - 1) / blockSize, runBlock);
}

/// The number of threads of a program that is asked for `configured`: 0 is every core this process
/// may use.
int threadCount(long long configured);

} // namespace cannery::kernels
