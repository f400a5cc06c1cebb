// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/data_source.h"
#include "core/data/schema.h"

#include <string>
#include <vector>

/// What a source's options say about its columns, for sources of any kind.
namespace cannery::data {

/// Texts besides "" that stand for a missing cell of a column. `tokens` are those of every column.
std::vector<std::string> missingTokensOf(std::vector<std::string> tokens,
                                         const SourceOptions& options,
                                         const std::string& columnName);

/// Sets what is known about a column without reading its rows; true if that is its dtype too.
bool settle(const SourceOptions& options, ColumnSchema& column);

/// An error for a column that the experiment describes and the table lacks; not for a source that
/// is read like another one. `names`: all columns of the table. `file`: its first file.
Result<void> checkDescribedColumns(const SourceOptions& options,
                                   const std::vector<std::string>& names, const std::string& file);

} // namespace cannery::data
