// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "core/data/typing/schema.h"

#include <string>
#include <vector>

/// What a source's options say about its columns, for sources of any kind.
namespace cannery::data {

/// Texts besides "" that stand for a missing cell of a column. `tokens` are those of every column.
std::vector<std::string> missingTokensOf(std::vector<std::string> tokens,
                                         const SourceOptions& options,
                                         const std::string& columnName);

/// How the numbers of a column are written. `decimalMark`: of the source's other columns.
storage::NumberNotation notationOf(const SourceOptions& options, const std::string& columnName,
                                   char decimalMark);

/// The same for a column as an experiment describes it.
storage::NumberNotation notationOf(const spec::Column& column, char decimalMark);

/// What a source says about the decimal mark of its numbers.
char decimalMarkOf(const spec::DataSource& source);

/// The notation in an experiment's words; what is usual under this decimal mark is left out.
void describeNotation(const storage::NumberNotation& notation, char decimalMark,
                      spec::Column& column);

/// Sets what is known about a column without reading its rows; true if that is its dtype too.
bool settle(const SourceOptions& options, ColumnSchema& column);

/// An error for a column that the experiment describes and the table lacks; not for a source that
/// is read like another one. `names`: all columns of the table. `file`: its first file.
Result<void> checkDescribedColumns(const SourceOptions& options,
                                   const std::vector<std::string>& names, const std::string& file);

} // namespace cannery::data
