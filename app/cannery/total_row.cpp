// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/total_row.h"

#include "core/data/row_filter.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

namespace cannery::app {

namespace {

/// Reports are short; no larger table is held in memory for this.
constexpr std::uint64_t kMostRows = 20'000;
/// With fewer rows above, a number is easily the sum of the others.
constexpr std::uint64_t kFewestSummed = 3;
constexpr double kSumTolerance = 1e-6;
/// Means are written rounded.
constexpr double kMeanTolerance = 1e-3;

/// How reports call a row that sums up, in lower case, at the beginning of its first cell.
constexpr auto kTotalWords = std::to_array<std::string_view>(
    {"total", "totals",  "sum",      "grand total", "overall",    "average",      "mean",
     "all",   "summe",   "gesamt",   "insgesamt",   "mittelwert", "durchschnitt", "totaux",
     "somme", "moyenne", "ensemble", "suma",        "promedio",   "soma",         "média",
     "Итого", "Всего",   "итого",    "всего",       "合计",       "总计",         "합계"});

bool isCalledTotal(std::string_view cell)
{
    const std::string lower = data::foldedCase(cell);
    return std::ranges::any_of(kTotalWords, [&](std::string_view word) {
        return lower.starts_with(word) &&
               (lower.size() == word.size() ||
                std::string_view(" :.s)").find(lower[word.size()]) != std::string_view::npos);
    });
}

/// Whether only the last of the rows begins with its first cell.
bool isAlone(const std::vector<std::vector<std::string>>& rows)
{
    const std::string& text = rows.back().front();
    return std::ranges::count_if(rows, [&](const std::vector<std::string>& row) {
               return row.front().starts_with(text);
           }) == 1;
}

/// The values of a number column: all but the last, and the last.
struct Column
{
    std::uint64_t values = 0; ///< that are neither missing nor 0
    double sum = 0;
    std::uint64_t rows = 0; ///< with a value
    std::optional<double> last;

    void add(std::optional<double> value)
    {
        if (last) {
            sum += *last;
            ++rows;
            values += *last != 0 ? 1 : 0;
        }
        last = value;
    }
    bool isSum() const
    {
        return isTold() && std::abs(*last - sum) <= kSumTolerance * std::abs(sum);
    }
    bool isMean() const
    {
        const double mean = sum / static_cast<double>(rows);
        return isTold() && std::abs(*last - mean) <= kMeanTolerance * std::abs(mean);
    }

private:
    bool isTold() const { return last && values >= kFewestSummed && sum != 0; }
};

Result<std::vector<Column>> sumUp(const data::DataSource& source,
                                  const std::vector<std::string>& names)
{
    data::ChunkRequest request;
    for (const std::string& name : names) {
        request.columns.push_back({.column = name, .dtype = DType::Float64});
    }
    std::vector<Column> columns(names.size());
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source.read(request));
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            return columns;
        }
        for (std::size_t c = 0; c < names.size(); ++c) {
            const storage::TableColumn& cells = chunk->columns[c];
            for (std::size_t row = 0; row < chunk->rows; ++row) {
                columns[c].add(cells.isValid(row) ? std::optional(cells.as<double>()[row])
                                                  : std::nullopt);
            }
        }
    }
}

} // namespace

Result<std::optional<TotalRow>> findTotalRow(const data::DataSource& source)
{
    const data::TableSchema& schema = source.schema();
    if (!schema.sawAllRows || schema.rowsSeen <= kFewestSummed || schema.rowsSeen > kMostRows) {
        return std::optional<TotalRow>();
    }
    CANNERY_TRY_ASSIGN(const auto rows, source.preview(kMostRows));
    if (rows.empty() || schema.columns.front().index != 0 || rows.back().front().empty() ||
        !isAlone(rows)) {
        return std::optional<TotalRow>();
    }
    std::vector<std::string> names;
    for (const data::ColumnSchema& column : schema.columns) {
        if (column.dtype != DType::String && column.index != 0 && !column.listOf) {
            names.push_back(column.name);
        }
    }
    CANNERY_TRY_ASSIGN(const std::vector<Column> columns, sumUp(source, names));
    std::vector<std::string> sums;
    std::vector<std::string> means;
    std::size_t filled = 0;
    for (std::size_t c = 0; c < names.size(); ++c) {
        filled += columns[c].last ? 1 : 0;
        if (columns[c].isSum()) {
            sums.push_back(names[c]);
        } else if (columns[c].isMean()) {
            means.push_back(names[c]);
        }
    }
    const std::string& text = rows.back().front();
    const bool isTotal = isCalledTotal(text) ? !sums.empty() || !means.empty()
                                             : sums.size() >= 2 && sums.size() == filled;
    if (!isTotal) {
        return std::optional<TotalRow>();
    }
    const bool isOfSums = !sums.empty();
    return std::optional(TotalRow{.text = text,
                                  .remark = fmt::format("the last row, {}, holds the {} of {}",
                                                        text, isOfSums ? "sum" : "mean",
                                                        fmt::join(isOfSums ? sums : means, ", "))});
}

} // namespace cannery::app
