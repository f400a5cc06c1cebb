// SPDX-License-Identifier: Apache-2.0
#include "core/base/lent_threads.h"

#include "core/base/memory_guard.h"

#include <vector>

namespace cannery {

void LentThreads::runAll(std::int64_t blocks, const std::function<void(std::int64_t)>& block) const
{
    if (areSeveral() && blocks > 1) {
        run(blocks, block);
        return;
    }
    for (std::int64_t index = 0; index < blocks; ++index) {
        block(index);
    }
}

Result<void> LentThreads::tryAll(std::string_view what, std::int64_t blocks,
                                 const std::function<Result<void>(std::int64_t)>& block) const
{
    std::vector<Result<void>> done(static_cast<std::size_t>(blocks));
    runAll(blocks, [&](std::int64_t index) {
        done[static_cast<std::size_t>(index)] = guardMemory(what, [&] { return block(index); });
    });
    for (Result<void>& one : done) {
        CANNERY_TRY(std::move(one));
    }
    return {};
}

} // namespace cannery
