// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/converted_columns.h"

#include "storage/tabular/number_parser.h"

#include <cmath>
#include <limits>
#include <vector>

namespace cannery::app {

namespace {

bool isDigit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/// Whether a number would not be the same text again.
bool isCode(std::string_view text)
{
    const std::string_view bare = storage::trimmed(text);
    return bare.starts_with('+') || (bare.size() > 1 && bare[0] == '0' && isDigit(bare[1]));
}

bool isBeyondFloat(double value)
{
    return std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max();
}

/// Whether some cell needs to stay a text.
bool needsText(const storage::TableColumn& column, std::size_t rows)
{
    for (std::size_t row = 0; row < rows; ++row) {
        if (!column.isValid(row)) {
            continue;
        }
        if (column.dtype != DType::String) {
            if (isBeyondFloat(column.as<double>()[row])) {
                return true;
            }
            continue;
        }
        const std::string_view text = column.strings()[row];
        double value = 0;
        // Only these can be beyond float32, whose largest number has 39 digits.
        const bool mayBeLarge = text.size() > 30 || text.find_first_of("eE") != text.npos;
        if (isCode(text) || (mayBeLarge &&
                             storage::parseDouble(storage::PaddedText(text).view(), value) !=
                                 storage::NumberStatus::NotANumber &&
                             (isBeyondFloat(value) || std::isinf(value)))) {
            return true;
        }
    }
    return false;
}

/// How a column is looked at; nothing if its cells are what they seem.
std::optional<DType> lookedAtAs(const data::ColumnSchema& column, bool isText)
{
    if (column.listOf || column.dtype == DType::String) {
        return std::nullopt;
    }
    // 007 is an integer to inference: only its text still has the zeros.
    if (isText || isInteger(column.dtype)) {
        return DType::String;
    }
    return column.dtype == DType::Float64 ? std::optional(DType::Float64) : std::nullopt;
}

} // namespace

data::TableSchema columnsForCsv(const data::DataSource& source, bool isText)
{
    data::TableSchema schema = source.schema();
    for (data::ColumnSchema& column : schema.columns) {
        if (isText || isInteger(column.dtype)) {
            column.dtype = DType::String;
        }
    }
    return schema;
}

Result<data::TableSchema> columnsForRecords(const data::DataSource& source, bool isText,
                                            const std::atomic<bool>& stop)
{
    data::TableSchema schema = source.schema();
    data::ChunkRequest request;
    std::vector<data::ColumnSchema*> looked;
    for (data::ColumnSchema& column : schema.columns) {
        if (const std::optional<DType> as = lookedAtAs(column, isText)) {
            request.columns.push_back({.column = column.name, .dtype = as});
            looked.push_back(&column);
        }
    }
    if (looked.empty()) {
        return schema;
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source.read(request));
    std::vector<std::uint8_t> areTexts(looked.size(), 0);
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk || stop) {
            break;
        }
        for (std::size_t i = 0; i < looked.size(); ++i) {
            // One such cell decides for the column, which is not searched further.
            areTexts[i] |= areTexts[i] == 0 && needsText(chunk->columns[i], chunk->rows) ? 1 : 0;
        }
    }
    for (std::size_t i = 0; i < looked.size(); ++i) {
        if (areTexts[i] != 0) {
            looked[i]->dtype = DType::String;
        } else if (isFloating(looked[i]->dtype)) {
            // As doubles, so that the writer can count what float32 cannot hold.
            looked[i]->dtype = DType::Float64;
        }
    }
    return schema;
}

} // namespace cannery::app
