// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/base/lent_threads.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace cannery::data {

/// What takes time while a table is browsed.
enum class BrowseStep
{
    Reading,   ///< the whole table, for the first time
    Filtering, ///< reading the columns of a filter
    Keying,    ///< reading the column to sort by
    Sorting,
};

/// "reading", "filtering", "keying" or "sorting".
std::string_view name(BrowseStep step);

/// How far it has come: in rows, or in bytes as long as the number of rows is unknown.
struct BrowseProgress
{
    BrowseStep step = BrowseStep::Reading;
    std::uint64_t done = 0;
    std::uint64_t total = 0; ///< 0 if unknown
};

/// Resources for long work, and its progress.
struct BrowseWork
{
    LentThreads threads;
    std::stop_token stop; ///< checked several times a second
    std::function<void(const BrowseProgress&)> progress = [](const BrowseProgress&) {};
};

/// Work that was stopped.
constexpr ErrorKind kBrowseCancelled{"data.browse_cancelled", "The request was cancelled. "
                                                              "Send it again."};

} // namespace cannery::data
