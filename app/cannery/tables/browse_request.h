// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/data/table_browser.h"

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace cannery::app {

/// A line sent to a BrowseSession.
struct BrowseRequest
{
    enum class Kind
    {
        Nothing, ///< a blank line
        Rows,
        Statistics,
        BadRows,
        Check, ///< whether query.filter is valid
        Cancel,
    };
    Kind kind = Kind::Nothing;
    std::int64_t id = 0; ///< its own, or that of the request to cancel
    data::RowQuery query;
    std::uint64_t first = 0;
    std::uint64_t count = 200;
};

/// A line that is not a request, with its id if it has one.
struct BrowseRefusal
{
    std::optional<std::int64_t> id;
    Error error;
};

tl::expected<BrowseRequest, BrowseRefusal> parseBrowseRequest(const std::string& line);

} // namespace cannery::app
