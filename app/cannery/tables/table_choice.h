// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/options.h"
#include "core/base/result.h"
#include "core/spec/data.pb.h"

#include <optional>
#include <string>

namespace cannery::app {

/// Which rows of a file that holds several tables are meant: --table or --query, for every command
/// that takes a table.
class TableChoice
{
public:
    void declare(OptionSet& options);

    bool isMade() const { return m_table || m_query; }
    /// Writes the choice into the source that reads `file`. Errors: both options at once, a source
    /// that holds one table.
    Result<void> apply(spec::DataSource& source, const std::string& file) const;
    /// apply(); without a choice, takes the only table of `file` that has the column, if there are
    /// several and one has it.
    Result<void> applyOrFind(spec::DataSource& source, const std::string& file,
                             const std::string& column) const;

private:
    std::optional<std::string> m_table;
    std::optional<std::string> m_query;
};

/// An error about an open choice, which names the options instead of the fields of an experiment.
Error withTableOptions(Error error);

} // namespace cannery::app
