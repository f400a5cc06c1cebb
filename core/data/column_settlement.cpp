// SPDX-License-Identifier: Apache-2.0
#include "core/data/column_settlement.h"

#include "core/base/catalog.h"
#include "core/data/data_errors.h"

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
    if (const spec::Column* column = findColumn(options.columns, columnName)) {
        tokens.insert(tokens.end(), column->missing_token().begin(), column->missing_token().end());
    }
    if (const ColumnSchema* column =
            options.like != nullptr ? options.like->find(columnName) : nullptr) {
        tokens.insert(tokens.end(), column->missingTokens.begin(), column->missingTokens.end());
    }
    std::sort(tokens.begin(), tokens.end());
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    return tokens;
}

bool settle(const SourceOptions& options, ColumnSchema& column)
{
    const spec::Column* described = findColumn(options.columns, column.name);
    const ColumnSchema* like =
        options.like != nullptr ? options.like->find(column.name, column.index) : nullptr;
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
    if (options.like != nullptr) {
        column.reason = "not a column of the training data";
        return true;
    }
    return false;
}

Result<void> checkDescribedColumns(const SourceOptions& options,
                                   const std::vector<std::string>& names, const std::string& file)
{
    for (const spec::Column& column : options.columns) {
        const bool isKnown = std::find(names.begin(), names.end(), column.name()) != names.end();
        if (!isKnown && options.like == nullptr) {
            return fail(ErrorCode::NotFound, kNoSuchColumn, file, column.name(),
                        suggestion(column.name(), names));
        }
    }
    return {};
}

} // namespace cannery::data
