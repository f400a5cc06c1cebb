// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/input/experiment_input.h"
#include "app/cannery/tables/table_reading.h"
#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "core/reports/table.pb.h"
#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace cannery::app {

/// The first rows of a table, as it would be read: without a pass over the rest.
struct TableLook
{
    std::vector<std::string> files;
    std::vector<data::SourceSetting> settings;
    data::TableSchema schema;
    std::vector<std::vector<std::string>> texts;
    std::uint64_t badRowCount = 0;    ///< among the rows looked at
    std::vector<std::string> badRows; ///< what is wrong with the first of them
};

/// Whether columns are read as is suggested for them: those of a table without an experiment are.
enum class Suggestions
{
    Ignored,
    Followed,
};

Suggestions suggestionsFor(const std::string& file);

/// Looks at the training rows. Rows that cannot be read are left out and reported; columns that the
/// experiment describes may be absent, since a change of dialect may rename all of them. Errors:
/// files that cannot be read at all.
Result<TableLook> lookAtTable(const spec::Data& data, const std::string& folder, std::uint64_t rows,
                              Suggestions suggestions);

/// Opens the training rows to look at them: bad rows are left out, and the experiment's column
/// descriptions are ignored if one of them has no column.
Result<std::unique_ptr<data::DataSource>>
openLeniently(const spec::Data& data, const std::string& folder, Suggestions suggestions);

/// The experiment to look at, or one that only names the table, read as `reading` says. Only errors
/// of its training source and of overrides count.
Result<ExperimentReport> readTableInput(const std::string& file,
                                        const std::vector<std::string>& overrides,
                                        const TableReading& reading);

/// An experiment that reads a table and states nothing else; for files that are not experiments.
spec::Experiment experimentOfTable(const std::filesystem::path& table);

/// The sentences on the first bad rows, and how many more there are.
std::vector<std::string> badRowLines(const TableLook& look);

/// The look as the answer has it.
reports::FirstRows lookReport(const TableLook& look);

} // namespace cannery::app
