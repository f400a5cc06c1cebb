// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace cannery {

/// Calls block(0) to block(count - 1), each once, on as many threads as it likes, and returns when
/// all are done. No block may throw.
using RunBlocks =
    std::function<void(std::int64_t count, const std::function<void(std::int64_t)>& block)>;

/// The threads of a pool, lent to work that does not know the pool. Without any, the caller does
/// everything. Used by one thread at a time.
struct LentThreads
{
    int count = 1; ///< that work at once, the caller among them
    RunBlocks run; ///< unset: by the caller, one after the other

    bool areSeveral() const { return count > 1 && run; }
    void runAll(std::int64_t blocks, const std::function<void(std::int64_t)>& block) const;
    /// The same for blocks that may fail, or run out of memory for `what`: the error of the first
    /// one, in order, that did.
    Result<void> tryAll(std::string_view what, std::int64_t blocks,
                        const std::function<Result<void>(std::int64_t)>& block) const;
};

} // namespace cannery
