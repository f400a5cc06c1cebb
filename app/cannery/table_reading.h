// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/options.h"
#include "core/base/result.h"
#include "core/spec/data.pb.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cannery::app {

/// Where the header of a text table is, for every command that takes one.
class TableReading
{
public:
    /// `--header` and `--skip-rows`.
    void declare(OptionSet& options);

    /// Writes what was said into the source. Errors: a source that is not a text file, a number of
    /// lines out of range. `file`: the table, for errors.
    Result<void> apply(spec::DataSource& source, const std::string& file) const;

private:
    std::optional<std::string> m_header;
    std::optional<std::int64_t> m_skipRows;
};

} // namespace cannery::app
