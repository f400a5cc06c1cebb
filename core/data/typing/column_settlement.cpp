// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/column_settlement.h"

#include "core/base/catalog.h"
#include "core/data/data_errors.h"
#include "core/data/sources/csv_source.h"

#include <algorithm>

namespace cannery::data {

namespace {

const spec::Column* findColumn(const std::vector<spec::Column>& columns, const std::string& name)
{
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const spec::Column& row) { return row.name() == name; });
    return found == columns.end() ? nullptr : &*found;
}

} // namespace

std::vector<std::string> missingTokensOf(std::vector<std::string> tokens,
                                         const SourceOptions& options,
                                         const std::string& columnName)
{
    // Tokens of the source, the column and the training data all count.
    if (const spec::Column* column = findColumn(options.columns, columnName)) {
        tokens.insert(tokens.end(), column->missing_token().begin(), column->missing_token().end());
    }
    if (const ColumnSchema* column =
            options.like != nullptr ? options.like->find(columnName) : nullptr) {
        tokens.insert(tokens.end(), column->missingTokens.begin(), column->missingTokens.end());
    }
    // Sorted, so that equal sets are equal lists.
    std::sort(tokens.begin(), tokens.end());
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    return tokens;
}

storage::NumberNotation notationOf(const SourceOptions& options, const std::string& columnName,
                                   char decimalMark)
{
    storage::NumberNotation notation{.decimalMark = decimalMark};
    const spec::Column* described = findColumn(options.columns, columnName);
    // What the experiment says about the column wins.
    if (described == nullptr || !described->has_number_notation()) {
        const ColumnSchema* like =
            options.like != nullptr ? options.like->find(columnName) : nullptr;
        if (like == nullptr) {
            return notation;
        }
        // The other table may have another decimal mark than this one.
        const char usual = options.like->decimalComma ? ',' : '.';
        notation = like->notation;
        notation.decimalMark = notation.decimalMark == usual ? decimalMark : notation.decimalMark;
        return notation;
    }
    return notationOf(*described, decimalMark);
}

storage::NumberNotation notationOf(const spec::Column& column, char decimalMark)
{
    storage::NumberNotation notation{.decimalMark = decimalMark};
    const spec::NumberNotation& written = column.number_notation();
    if (written.has_decimal_mark()) {
        notation.decimalMark = written.decimal_mark() == spec::DecimalMark::comma ? ',' : '.';
    }
    notation.groupMark = written.group_mark();
    // An empty mark means none.
    notation.affixes.assign(written.affix().begin(), written.affix().end());
    notation.bracketsNegative = written.brackets_negative();
    notation.minusBehind = written.minus_behind();
    notation.magnitudes = written.magnitudes();
    return notation;
}

char decimalMarkOf(const spec::DataSource& source)
{
    return csvDecimalMark(source);
}

void describeNotation(const storage::NumberNotation& notation, char decimalMark,
                      spec::Column& column)
{
    // Nothing to write down: the usual notation.
    if (notation == storage::NumberNotation{.decimalMark = decimalMark}) {
        return;
    }
    spec::NumberNotation& written = *column.mutable_number_notation();
    if (notation.decimalMark != decimalMark) {
        written.set_decimal_mark(notation.decimalMark == ',' ? spec::DecimalMark::comma
                                                             : spec::DecimalMark::point);
    }
    // Only what differs from the usual is written.
    if (!notation.groupMark.empty()) {
        written.set_group_mark(notation.groupMark);
    }
    for (const std::string& affix : notation.affixes) {
        written.add_affix(affix);
    }
    if (notation.bracketsNegative) {
        written.set_brackets_negative(true);
    }
    if (notation.minusBehind) {
        written.set_minus_behind(true);
    }
    if (notation.magnitudes) {
        written.set_magnitudes(true);
    }
}

bool settle(const SourceOptions& options, ColumnSchema& column)
{
    const spec::Column* described = findColumn(options.columns, column.name);
    const ColumnSchema* like =
        options.like != nullptr ? options.like->find(column.name, column.index) : nullptr;
    // The experiment first, then the training data, and then the file itself.
    if (described != nullptr && described->has_default_value()) {
        column.defaultValue = described->default_value();
    } else if (like != nullptr) {
        column.defaultValue = like->defaultValue;
    }
    if (described != nullptr && described->has_date_notation()) {
        column.dateNotation = described->date_notation();
    } else if (like != nullptr) {
        column.dateNotation = like->dateNotation;
    }
    if (described != nullptr && described->has_dtype() &&
        described->dtype() != spec::DataType::inferred) {
        column.dtype = static_cast<DType>(described->dtype());
        column.reason = "as the experiment says";
        // A type that was chosen allows texts among numbers.
        column.firstText.reset();
        return true;
    }
    if (like != nullptr) {
        column.dtype = like->dtype;
        column.reason = like->reason;
        column.kind = like->kind;
        column.kindReason = like->kindReason;
        column.listOf = like->listOf;
        return true;
    }
    // A column that training did not have is read by nobody.
    if (options.like != nullptr) {
        column.reason = "not a column of the training data";
        return true;
    }
    // The file itself has to be looked at.
    return false;
}

Result<void> checkDescribedColumns(const SourceOptions& options,
                                   const std::vector<std::string>& names, const std::string& file)
{
    for (const spec::Column& column : options.columns) {
        const bool isKnown = std::find(names.begin(), names.end(), column.name()) != names.end();
        // Later files may lack columns: which ones are read is checked there.
        if (!isKnown && options.like == nullptr) {
            return fail(ErrorCode::NotFound, kNoSuchColumn, file, column.name(),
                        suggestion(column.name(), names));
        }
    }
    return {};
}

} // namespace cannery::data
