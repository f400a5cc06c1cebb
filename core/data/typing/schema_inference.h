// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/typing/schema.h"
#include "core/data/typing/type_evidence.h"
#include "storage/tabular/csv/csv_block_reader.h"
#include "storage/tabular/csv/csv_reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::data {

struct InferenceOptions
{
    std::vector<std::vector<std::string>> missingTokens; ///< one list per column of the file
    /// One per column of the file, or none: all as usualNotation().
    std::vector<storage::NumberNotation> notations;
    storage::BadRowPolicy badRows = storage::BadRowPolicy::Fail;
    ColumnKinds kinds = ColumnKinds::Guessed;
    std::uint64_t maxBytes = 16U << 20U; ///< of text; anything later is not inspected
};

/// Inspects the first rows of a table and infers the dtype and, if wanted, the kind of every named
/// column, each with its reason. With Fail, a row that cannot be parsed or is not UTF-8 is an
/// error.
Result<TableSchema> inferSchema(const storage::CsvFiles& files, const InferenceOptions& options);

/// How numbers are written where nothing is known about their column.
storage::NumberNotation usualNotation(const storage::CsvDialect& dialect);

/// The column of a table of texts, with its dtype, by its evidence. `haveCommas`: the table's
/// decimal mark is a comma.
ColumnSchema describeColumn(const TypeEvidence& evidence, const std::string& columnName,
                            std::size_t index, bool haveCommas = false);

/// Warns about NaN and infinite numbers.
void noteOddNumbers(ColumnSchema& column);

/// Sets the counts of a column whose name and dtype are known, and its kind.
void describeValues(const TypeEvidence& evidence, ColumnSchema& column);

} // namespace cannery::data
