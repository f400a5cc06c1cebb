// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/typing/schema.h"
#include "core/spec/data.pb.h"

#include <string>
#include <vector>

namespace cannery::advice {

/// Adds to the descriptions of columns what would make numbers of them; false if nothing would.
bool followSuggestions(const data::TableSchema& schema, std::vector<spec::Column>& columns);

/// Describes how a column of the table is read, as far as that is not usual: the texts that mean
/// a missing cell, and how its numbers are written.
void describeReading(const data::TableSchema& table, const data::ColumnSchema& column,
                     spec::Column& entry);

/// How numbers of a column are written, for people: "1.234,5 with €"; empty if as usual in its
/// table.
std::string notationText(const data::TableSchema& table, const data::ColumnSchema& column);

/// `text`: "price=1.299,50", a column and a number as it is written there; signs and marks that
/// stand around others are read, too. Error: "command.usage.numbers".
Result<spec::Column> columnOfExample(const std::string& text, const data::TableSchema& schema);

/// Why the column is not read as numbers, as the end of a sentence that begins with its name, with
/// the options of `cannery new` that settle it; empty if there is no doubt.
std::string doubtText(const data::ColumnSchema& column);

/// The suggestions in sentences, for the head of the experiment that follows them.
std::vector<std::string> suggestionLines(const data::TableSchema& schema);

} // namespace cannery::advice
