// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/options.h"
#include "app/cannery/tables/table_choice.h"
#include "core/base/result.h"
#include "core/spec/data.pb.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cannery::app {

/// How a table is read, for every command that takes one: where the header of a text table is, and
/// which table of a database is meant.
class TableReading
{
public:
    /// `--header`, `--skip-rows` and those of TableChoice.
    void declare(OptionSet& options);

    bool choosesTable() const { return m_choice.isMade(); }

    /// Writes what was given into the source. Errors: a source that is not a text file, a number of
    /// lines out of range. `file`: the table, for errors.
    Result<void> apply(spec::DataSource& source, const std::string& file) const;
    /// The same, with TableChoice::applyOrFind().
    Result<void> applyOrFind(spec::DataSource& source, const std::string& file,
                             const std::string& column) const;

private:
    Result<void> applyHeader(spec::DataSource& source, const std::string& file) const;

    TableChoice m_choice;
    std::optional<std::string> m_header;
    std::optional<std::int64_t> m_skipRows;
};

} // namespace cannery::app
