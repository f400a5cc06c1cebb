// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::data {

/// Consecutive rows of one file, by the offsets that a pass over all columns has found.
struct RowRange
{
    std::size_t file = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    bool operator==(const RowRange&) const = default;
};

/// Reads single rows of a source again, without the rows before them. Thread-safe.
class RowReader
{
public:
    virtual ~RowReader() = default;

    /// The texts of the named columns, as in the file, row by row; rows that a pass refuses are
    /// left out. An error if the file has changed.
    virtual Result<std::vector<std::vector<std::string>>> read(const RowRange& range) const = 0;
    /// The text of a refused row, or its beginning.
    virtual Result<std::string> rowText(std::size_t file, std::uint64_t offset) const = 0;
    /// A cell of a refused row; nothing if it has none, or what it has is unknown.
    virtual std::optional<std::string> cellOfRefused(std::size_t /*file*/, std::uint64_t /*offset*/,
                                                     const std::string& /*column*/) const
    {
        return std::nullopt;
    }
    /// A pass has come to `end`: from now on, text before it may be asked for.
    virtual Result<void> reach(std::size_t file, std::uint64_t end) const = 0;
};

} // namespace cannery::data
