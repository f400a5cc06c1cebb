// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/memory_guard.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace cannery::storage {

/// Reads the blocks of a table one after another, parses several at once on lent threads, and
/// returns them in order: the same for any number of threads. `Scratch` is a thread's working
/// memory, with the block in it; `Parsed` has an optional `error` and `isEnd`. Used by one thread.
template <typename Scratch, typename Parsed>
class OrderedBlocks
{
public:
    struct Steps
    {
        std::function<std::unique_ptr<Scratch>()> makeScratch;
        /// Fills the scratch's block; false at the end. Called by one thread at a time, as is
        /// makeScratch.
        std::function<Result<bool>(Scratch&)> read;
        /// Called by several threads at once; must not throw.
        std::function<Parsed(Scratch&)> parse;
    };

    /// `what`: named when memory runs out.
    OrderedBlocks(Steps steps, LentThreads threads, std::string what)
        : m_steps(std::move(steps)), m_threads(std::move(threads)), m_what(std::move(what)),
          m_parsed(m_threads.areSeveral()
                       ? static_cast<std::size_t>(m_threads.count) * kBlocksPerThread
                       : 1)
    {
        m_idle.reserve(m_parsed.size());
    }

    /// The next block; with `isEnd` behind the last one, or with `error`, after which nothing more
    /// is to be asked for.
    Parsed next()
    {
        if (m_delivered == m_taken && !m_isOver) {
            m_taken = 0;
            m_delivered = 0;
            m_threads.runAll(static_cast<std::int64_t>(m_parsed.size()),
                             [this](std::int64_t) { readAndParse(); });
        }
        if (m_delivered == m_taken) {
            return {.isEnd = true};
        }
        return std::move(m_parsed[m_delivered++]);
    }

private:
    /// Enough that the threads finish at about the same time.
    static constexpr std::size_t kBlocksPerThread = 2;

    /// The next block, for any thread; nothing at the end.
    void readAndParse()
    {
        std::unique_lock lock(m_mutex);
        if (m_isOver) {
            return;
        }
        std::unique_ptr<Scratch> scratch;
        Result<bool> got = guardMemory(m_what, [&] {
            if (m_idle.empty()) {
                m_idle.push_back(m_steps.makeScratch());
            }
            scratch = std::move(m_idle.back());
            m_idle.pop_back();
            return m_steps.read(*scratch);
        });
        m_isOver = !got || !*got;
        Parsed& parsed = m_parsed[m_taken];
        if (!got) {
            parsed = {.error = std::move(got).error()};
            ++m_taken;
        }
        if (m_isOver) {
            return;
        }
        ++m_taken;
        lock.unlock();
        parsed = m_steps.parse(*scratch);
        lock.lock();
        m_isOver = m_isOver || parsed.error.has_value();
        m_idle.push_back(std::move(scratch)); // its space was reserved before
    }

    Steps m_steps;
    LentThreads m_threads;
    std::string m_what;
    std::mutex m_mutex; ///< guards the following, and read, while blocks are parsed
    std::vector<std::unique_ptr<Scratch>> m_idle;
    std::vector<Parsed> m_parsed; ///< those of the last round, in order
    std::size_t m_taken = 0;      ///< number of them taken by a thread
    std::size_t m_delivered = 0;
    bool m_isOver = false; ///< no further blocks
};

} // namespace cannery::storage
