// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/shape.h"
#include "storage/tabular/number_notation.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::spec {
enum DateNotation_Name : int;
} // namespace cannery::spec

namespace cannery::data {

/// Between the values of a cell that has several.
inline constexpr char kListSeparator = '|';

/// The apparent purpose of a column. A guess, for people who write an experiment; reading never
/// uses it.
enum class ColumnKind
{
    Number,
    Category,
    Identifier, ///< tells rows apart but carries no other information
    Date,
    FreeText,
    Constant, ///< the same value in every row
    Empty,    ///< no value in any row
};

std::string_view name(ColumnKind kind);

/// Whether the kinds of columns are guessed, for which their distinct values are counted.
enum class ColumnKinds
{
    Guessed,
    Unknown,
};

/// A cell of a table, for messages.
struct CellPlace
{
    std::string text; ///< shortened
    std::string file;
    std::uint64_t line = 0;
};

/// The values of a cell that is an array.
struct DenseCells
{
    DType dtype = DType::Float32;
    Shape shape;
};

/// One column of a table: how it is read, and why.
struct ColumnSchema
{
    std::string name;
    std::size_t index = 0; ///< position in the file, from 0
    DType dtype = DType::String;
    std::string reason; ///< "all 627 values are integers that fit int32"
    ColumnKind kind = ColumnKind::Category;
    std::string kindReason; ///< empty if the kind is unknown
    bool areCodes = false;  ///< integers that are better read as texts
    /// Cells hold any number of values of this dtype, with kListSeparator between them.
    std::optional<DType> listOf;
    /// Cells are arrays: a request with this dtype reads their values, any other one a text about
    /// each. As a feature, the column is the array.
    std::optional<DenseCells> dense;
    /// How its dates are written, if the experiment says so or the inspected rows leave no doubt.
    std::optional<spec::DateNotation_Name> dateNotation;

    std::vector<std::string> missingTokens;  ///< besides the empty cell
    std::optional<std::string> defaultValue; ///< what a missing cell means
    storage::NumberNotation notation;        ///< of numbers in texts

    // What would make numbers of a column of texts.
    std::vector<std::string> suggestedMissingTokens; ///< texts that are not numbers ("n/a")
    std::optional<storage::NumberNotation> suggestedNotation;
    /// A cell that needs the notation.
    std::string notationExample;
    /// Why numbers in the column cannot be read without a person's word, as the end of a sentence
    /// that begins with its name, or empty.
    std::string notationDoubt;
    std::vector<storage::NumberNotation> notationChoices; ///< of that person; may be empty
    /// The first cell that is not a number, if others are.
    std::optional<CellPlace> firstText;

    // Found while inspecting the rows.
    std::uint64_t values = 0; ///< cells that are not missing
    std::uint64_t texts = 0;  ///< of these, not numbers
    std::uint64_t missing = 0;
    std::uint64_t nan = 0; ///< of the missing ones
    std::uint64_t infinite = 0;
    std::uint64_t outOfRange = 0; ///< numbers beyond float64
    std::uint64_t distinct = 0;   ///< counted up to kDistinctLimit if the kind is guessed
    std::vector<std::string> warnings;

    static constexpr std::uint64_t kDistinctLimit = 16384;
};

/// The columns of a table that have a name, in file order.
struct TableSchema
{
    std::vector<ColumnSchema> columns;
    std::uint64_t rowsSeen = 0;
    bool sawAllRows = false;
    bool decimalComma = false; ///< numbers in texts of the table are written 3,14
    /// A number such as 3,14 that suggests a decimal comma for the whole table, or empty.
    std::string suggestedDecimalComma;
    std::vector<std::string> warnings; ///< about the table: unnamed columns, bad rows skipped

    const ColumnSchema* find(std::string_view columnName) const;
    /// The same, searched from `place` on: instant for columns requested in order.
    const ColumnSchema* find(std::string_view columnName, std::size_t place) const;
    std::vector<std::string> names() const;
};

} // namespace cannery::data
