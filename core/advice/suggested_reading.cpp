// SPDX-License-Identifier: Apache-2.0
#include "core/advice/suggested_reading.h"

#include "core/data/typing/column_settlement.h"
#include "core/data/typing/notation_evidence.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace cannery::advice {

namespace {

constexpr ErrorKind kExample{
    "command.usage.numbers",
    "'{}' does not say how numbers are written: give a column and a number that has one reading, "
    "with its separator of thousands and its decimal mark, such as 'price=1.234,5'."};

char decimalMarkOf(const data::TableSchema& table)
{
    return table.decimalComma ? ',' : '.';
}

spec::Column& entryOf(const std::string& name, std::vector<spec::Column>& columns)
{
    for (spec::Column& column : columns) {
        if (column.name() == name) {
            return column;
        }
    }
    columns.emplace_back().set_name(name);
    return columns.back();
}

} // namespace

bool followSuggestions(const data::TableSchema& schema, std::vector<spec::Column>& columns)
{
    bool isAny = false;
    for (const data::ColumnSchema& column : schema.columns) {
        if (column.suggestedMissingTokens.empty() && !column.suggestedNotation &&
            !column.areCodes) {
            continue;
        }
        isAny = true;
        spec::Column& entry = entryOf(column.name, columns);
        if (column.areCodes) {
            entry.set_dtype(spec::DataType::string);
        }
        for (const std::string& token : column.suggestedMissingTokens) {
            entry.add_missing_token(token);
        }
        if (column.suggestedNotation) {
            entry.clear_number_notation();
            data::describeNotation(*column.suggestedNotation, decimalMarkOf(schema), entry);
        }
    }
    return isAny;
}

void describeReading(const data::TableSchema& table, const data::ColumnSchema& column,
                     spec::Column& entry)
{
    for (const std::string& token : column.missingTokens) {
        entry.add_missing_token(token);
    }
    if (column.areCodes && column.dtype == DType::String) {
        entry.set_dtype(spec::DataType::string);
    }
    data::describeNotation(column.notation, decimalMarkOf(table), entry);
}

std::string notationText(const data::TableSchema& table, const data::ColumnSchema& column)
{
    const storage::NumberNotation& notation = column.notation;
    if (column.dtype == DType::String ||
        notation == storage::NumberNotation{.decimalMark = decimalMarkOf(table)}) {
        return {};
    }
    const std::string text = storage::sampleOf(notation);
    return notation.affixes.empty()
               ? text
               : fmt::format("{} with {}", text, fmt::join(notation.affixes, ", "));
}

Result<spec::Column> columnOfExample(const std::string& text, const data::TableSchema& schema)
{
    const std::size_t end = text.rfind('=');
    const char mark = decimalMarkOf(schema);
    std::optional<storage::NumberNotation> notation =
        end == std::string::npos
            ? std::nullopt
            : data::notationOfExample(std::string_view(text).substr(end + 1), mark == ',');
    if (!notation) {
        return fail(ErrorCode::InvalidArgument, kExample, text);
    }
    spec::Column column;
    column.set_name(text.substr(0, end));
    if (const data::ColumnSchema* known = schema.find(column.name())) {
        for (const storage::NumberNotation& choice : known->notationChoices) {
            const bool isMeant = choice.decimalMark == notation->decimalMark &&
                                 choice.groupMark == notation->groupMark;
            notation = isMeant ? choice : *notation;
        }
    }
    data::describeNotation(*notation, mark, column);
    return column;
}

std::string doubtText(const data::ColumnSchema& column)
{
    std::string choices;
    for (const storage::NumberNotation& notation : column.notationChoices) {
        choices += fmt::format("{} --numbers '{}={}'", choices.empty() ? ": say which with" : " or",
                               column.name, storage::sampleOf(notation));
    }
    return column.notationDoubt + choices;
}

std::vector<std::string> suggestionLines(const data::TableSchema& schema)
{
    std::vector<std::string> lines;
    for (const data::ColumnSchema& column : schema.columns) {
        if (column.areCodes) {
            lines.push_back(fmt::format("Read {} as texts: its numbers begin with 0, as codes do",
                                        column.name));
            continue;
        }
        const std::string missing =
            column.suggestedMissingTokens.empty()
                ? std::string()
                : fmt::format("\"{}\" as {}", fmt::join(column.suggestedMissingTokens, "\", \""),
                              column.suggestedMissingTokens.size() == 1 ? "a missing cell"
                                                                        : "missing cells");
        if (column.suggestedNotation) {
            lines.push_back(fmt::format("Read {} as numbers, such as \"{}\"{}{}", column.name,
                                        column.notationExample, missing.empty() ? "" : ", and ",
                                        missing));
        } else if (!missing.empty()) {
            lines.push_back(fmt::format("Read {} as numbers, and {}", column.name, missing));
        }
    }
    return lines;
}

} // namespace cannery::advice
