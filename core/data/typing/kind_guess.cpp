// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/kind_guess.h"

#include "core/base/folded_case.h"
#include "core/data/typing/type_evidence.h"

#include <fmt/core.h>

#include <algorithm>

namespace cannery::data {

namespace {

/// Of a column that has numbers for times or days.
bool isDateName(const std::string& columnName)
{
    const std::string lower = foldedCase(columnName);
    return lower == "ts" || lower == "when" || lower.find("date") != std::string::npos ||
           lower.find("time") != std::string::npos || lower.find("epoch") != std::string::npos ||
           lower.ends_with("_at") || lower.ends_with("_ts");
}

bool isIdentifierName(const std::string& columnName)
{
    // As programs name them, in several styles.
    const std::string lower = foldedCase(columnName);
    const bool endsInId = lower == "id" || lower.ends_with("_id") || lower.ends_with(" id") ||
                          columnName.ends_with("Id") || columnName.ends_with("ID");
    return endsInId || lower.find("uuid") != std::string::npos || lower == "index" ||
           lower == "guid" || lower == "row" || lower == "key";
}

/// Whether nearly all values are dates, but for texts such as N/A, and most are.
bool areDates(const DateEvidence& dates, double values)
{
    const auto count = static_cast<double>(dates.dates());
    // N/A and the like do not make a column of dates one of texts.
    return count > 0.95 * (values - static_cast<double>(dates.maybeMissing())) &&
           count > 0.5 * values;
}

/// Whether the day or the month comes first.
void settleDates(const TypeEvidence& evidence, ColumnSchema& column)
{
    const Result<spec::DateNotation::Name> notation = evidence.dates.notation(column.name);
    if (notation) {
        column.dateNotation = *notation;
    } else {
        // The order is open: whoever uses the column must choose it.
        column.warnings.push_back(notation.error().sentence);
    }
}

} // namespace

void guessKind(const TypeEvidence& evidence, ColumnSchema& column)
{
    // Kinds need the number of distinct values, which was not counted.
    if (!evidence.countsDistinct()) {
        return;
    }
    const double values = static_cast<double>(std::max<std::uint64_t>(1, evidence.values));
    const double length = static_cast<double>(evidence.totalLength) / values;
    const bool isText = column.dtype == DType::String;
    const bool isUnique = evidence.values >= 20 && evidence.uniqueness() > 0.95;
    const bool isInteger = column.dtype == DType::Int32 || column.dtype == DType::Int64;
    const auto decide = [&](ColumnKind kind, std::string reason) {
        column.kind = kind;
        column.kindReason = std::move(reason);
    };
    // From the surest sign to the least: the first that fits decides.
    if (evidence.values == 0) {
        decide(ColumnKind::Empty, "no row has a value");
    } else if (evidence.distinct == 1 && evidence.missing == 0 && evidence.values > 1) {
        decide(ColumnKind::Constant, "every row has the same value");
    } else if (isText && areDates(evidence.dates, values)) {
        decide(ColumnKind::Date, fmt::format("\"{}\" reads as a date", evidence.firstText.text));
        settleDates(evidence, column);
    } else if (isInteger && evidence.compactDays == evidence.values) {
        decide(ColumnKind::Date, "every number reads as a day, as 20240501 does");
        column.dateNotation = spec::DateNotation::iso;
    } else if (!isText && isDateName(column.name) &&
               evidence.dateNumbers.notation(evidence.values)) {
        decide(ColumnKind::Date, "its name says so, and every number may be a time or a day");
        column.dateNotation = evidence.dateNumbers.notation(evidence.values);
    } else if (isInteger && isUnique && evidence.countsUp) {
        // A number for each row may be a measurement, unless it counts the rows.
        decide(ColumnKind::Identifier, "the rows are numbered one after the other");
    } else if ((isInteger || isText) && isUnique && isIdentifierName(column.name)) {
        decide(ColumnKind::Identifier, "its name says so, and nearly every row has its own value");
    } else if (isUnique && column.areCodes) {
        decide(ColumnKind::Identifier, "numbers with leading zeros, different in nearly every row");
    } else if (column.areCodes) {
        decide(ColumnKind::Category, "numbers that begin with 0, all with as many digits");
    } else if (!isText) {
        decide(ColumnKind::Number, "numbers");
    } else if (static_cast<double>(evidence.spaced) > 0.5 * values && length > 12 &&
               evidence.values >= 20 && evidence.uniqueness() > 0.5) {
        decide(ColumnKind::FreeText, fmt::format("texts of {:.0f} bytes on average, {:.0f} % of "
                                                 "them different",
                                                 length, 100 * evidence.uniqueness()));
    } else if (isUnique) {
        decide(ColumnKind::Identifier, "nearly every row has its own value");
    } else {
        decide(ColumnKind::Category,
               fmt::format("{}{} different texts",
                           evidence.distinct == ColumnSchema::kDistinctLimit ? "at least " : "",
                           evidence.distinct));
    }
}

} // namespace cannery::data
