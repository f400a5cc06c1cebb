// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace cannery {

/// Calls block(0) to block(count - 1), each once, on any number of threads, and returns when all
/// are done. No block may throw.
using RunBlocks =
    std::function<void(std::int64_t count, const std::function<void(std::int64_t)>& block)>;

/// The threads of a pool, lent to code that does not know the pool. Without a pool, the caller does
/// all the work. Used by one thread at a time.
struct LentThreads
{
    int count = 1; ///< threads working at once, including the caller
    RunBlocks run; ///< the caller runs the blocks one after the other if unset

    bool areSeveral() const { return count > 1 && run; }
    void runAll(std::int64_t blocks, const std::function<void(std::int64_t)>& block) const;
    /// The same for blocks that may fail, or run out of memory for `what`: returns the error of the
    /// first failing block, in order.
    Result<void> tryAll(std::string_view what, std::int64_t blocks,
                        const std::function<Result<void>(std::int64_t)>& block) const;
};

/// The threads of a pool that would wait while its owner computes, lent for moving data.
struct IdleThreads
{
    /// Calls block(0) to block(count - 1), each once, before finish() returns; `block` must live
    /// until then. Unset: there are none.
    std::function<void(std::int64_t count, const std::function<void(std::int64_t)>& block)> offer;
    std::function<void()> finish;
};

} // namespace cannery
