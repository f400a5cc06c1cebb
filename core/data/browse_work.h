// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/base/lent_threads.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace cannery::data {

/// What browsing a table is busy with.
enum class BrowseStep
{
    Reading,   ///< the whole table, for the first time
    Filtering, ///< reading the columns of a filter
    Keying,    ///< reading the column to sort by
    Sorting,
};

/// "reading", "filtering", "keying" or "sorting".
std::string_view name(BrowseStep step);

/// How far it is; in rows, or in bytes while the rows are not known.
struct BrowseProgress
{
    BrowseStep step = BrowseStep::Reading;
    std::uint64_t done = 0;
    std::uint64_t total = 0; ///< 0: unknown
};

/// What long work is given.
struct BrowseWork
{
    LentThreads threads;
    std::stop_token stop; ///< looked at several times a second
    std::function<void(const BrowseProgress&)> progress = [](const BrowseProgress&) {};
};

/// Of work that was stopped.
constexpr ErrorKind kBrowseCancelled{"data.browse_cancelled", "The table is no longer read for "
                                                              "this. Ask for it again."};

} // namespace cannery::data
