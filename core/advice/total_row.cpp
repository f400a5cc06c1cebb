// SPDX-License-Identifier: Apache-2.0
#include "core/advice/total_row.h"

#include "core/base/folded_case.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

namespace cannery::advice {

namespace {

/// Reports are short; no larger table is held in memory for this.
constexpr std::uint64_t kMostSummedRows = 20'000;
/// With fewer rows above, a number is easily the sum of the others.
constexpr std::uint64_t kFewestSummed = 3;
constexpr double kSumTolerance = 1e-6;
/// Means are written rounded.
constexpr double kMeanTolerance = 1e-3;

/// How reports call a row that sums up, in lower case, at the beginning or end of a cell.
constexpr auto kTotalWords = std::to_array<std::string_view>(
    {"total",         "totals",     "subtotal",  "sub-total",  "sub total",    "sum",
     "grand total",   "overall",    "average",   "mean",       "all",          "summe",
     "zwischensumme", "gesamt",     "insgesamt", "mittelwert", "durchschnitt", "totaux",
     "somme",         "sous-total", "moyenne",   "ensemble",   "suma",         "promedio",
     "soma",          "média",      "Итого",     "Всего",      "итого",        "всего",
     "合计",          "总计",       "合計",      "小计",       "小計"});

using Row = std::vector<std::string>;

bool isCalledTotal(std::string_view cell)
{
    const std::string lower = foldedCase(cell);
    return std::ranges::any_of(kTotalWords, [&](std::string_view word) {
        return lower.starts_with(word) &&
               // Only as a whole word: "summer" is not a sum.
               (lower.size() == word.size() ||
                std::string_view(" :.s)").find(lower[word.size()]) != std::string_view::npos);
    });
}

/// Also "North total", as rows between others are called.
bool isCalledPart(std::string_view cell)
{
    const std::string lower = foldedCase(cell);
    return isCalledTotal(cell) || std::ranges::any_of(kTotalWords, [&](std::string_view word) {
               return lower.size() > word.size() && lower.ends_with(word) &&
                      lower[lower.size() - word.size() - 1] == ' ';
           });
}

/// The first cells of a row, as its line writes them.
std::string lineOf(const Row& row, std::size_t cells, char delimiter)
{
    std::string line;
    for (std::size_t i = 0; i < cells; ++i) {
        line += (i == 0 ? "" : std::string(1, delimiter)) + row[i];
    }
    return line;
}

char delimiterOf(const data::DataSource& source)
{
    // Sources other than CSV have no such setting; there the delimiter does not matter.
    for (const data::SourceSetting& setting : source.settings()) {
        if (setting.field == "field_delim") {
            return setting.value == "\\t" ? '\t' : setting.value.front();
        }
    }
    return ',';
}

/// Whether only the last of the rows begins with this text.
bool isAlone(const std::vector<Row>& rows, const std::string& text, char delimiter)
{
    return std::ranges::count_if(rows, [&](const Row& row) {
               return lineOf(row, row.size(), delimiter).starts_with(text);
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
        // A value is added when the next one comes, so the sum never contains the last row.
        if (last) {
            sum += *last;
            ++rows;
            values += *last != 0 ? 1 : 0;
        }
        last = value;
    }
    bool isSum() const
    {
        return hasEvidence() && std::abs(*last - sum) <= kSumTolerance * std::abs(sum);
    }
    bool isMean() const
    {
        const double mean = sum / static_cast<double>(rows);
        return hasEvidence() && std::abs(*last - mean) <= kMeanTolerance * std::abs(mean);
    }

private:
    bool hasEvidence() const { return last && values >= kFewestSummed && sum != 0; }
};

/// The sums of number columns since the last row that held them.
class PartSums
{
public:
    explicit PartSums(std::size_t columns) : m_sums(columns) {}

    /// Whether some number of a row that is called a total is the sum of those since the last such
    /// row.
    bool add(const std::vector<std::optional<double>>& values, bool isCalled)
    {
        bool isSum = false;
        for (std::size_t c = 0; c < values.size() && isCalled; ++c) {
            // The sum of a single row proves nothing.
            isSum =
                isSum || (values[c] && m_rows > 1 && m_sums[c] != 0 &&
                          std::abs(*values[c] - m_sums[c]) <= kSumTolerance * std::abs(m_sums[c]));
        }
        for (std::size_t c = 0; c < values.size(); ++c) {
            m_sums[c] = isSum ? 0 : m_sums[c] + values[c].value_or(0);
        }
        m_rows = isSum ? 0 : m_rows + 1;
        return isSum;
    }

private:
    std::vector<double> m_sums;
    std::uint64_t m_rows = 0;
};

/// What a pass over the number columns has shown.
struct Sums
{
    std::vector<Column> columns;
    std::vector<std::size_t> parts; ///< rows that sum up those since the one before
};

Result<Sums> sumUp(const data::DataSource& source, const std::vector<std::string>& names,
                   const std::vector<Row>& rows)
{
    data::ChunkRequest request;
    for (const std::string& name : names) {
        request.columns.push_back({.column = name, .dtype = DType::Float64});
    }
    Sums sums{.columns = std::vector<Column>(names.size())};
    PartSums parts(names.size());
    std::vector<std::optional<double>> values(names.size());
    std::size_t row = 0;
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source.read(request));
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            return sums;
        }
        for (std::size_t i = 0; i < chunk->rows; ++i, ++row) {
            for (std::size_t c = 0; c < names.size(); ++c) {
                const storage::TableColumn& cells = chunk->columns[c];
                values[c] = cells.isValid(i) ? std::optional(cells.as<double>()[i]) : std::nullopt;
                sums.columns[c].add(values[c]);
            }
            const bool isCalled = row < rows.size() && std::ranges::any_of(rows[row], isCalledPart);
            if (parts.add(values, isCalled)) {
                sums.parts.push_back(row);
            }
        }
    }
}

/// The last row, if it sums up all others.
void takeTotal(const std::vector<Row>& rows, const std::vector<std::string>& names,
               const std::vector<Column>& columns, char delimiter, TotalRows& found)
{
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
    const Row& last = rows.back();
    const auto cell =
        std::ranges::find_if(last, [](const std::string& text) { return !text.empty(); });
    const bool isCalled = isCalledTotal(*cell);
    const bool isTotal =
        // Without a word for it, every number must be a sum, and more than one.
        isCalled ? !sums.empty() || !means.empty() : sums.size() >= 2 && sums.size() == filled;
    const bool isNamed = isCalled || cell == last.begin();
    const std::size_t wordEnd = static_cast<std::size_t>(cell - last.begin()) + 1;
    // The line up to the word, or all of it. It marks the row, so it must be found nowhere else.
    const std::string text = lineOf(last, isNamed ? wordEnd : last.size(), delimiter);
    if (!isTotal || !isAlone(rows, text, delimiter)) {
        return;
    }
    found.text = text;
    const bool isOfSums = !sums.empty();
    found.remark =
        fmt::format("the last row{} holds the {} of {}", isNamed ? ", " + *cell + "," : "",
                    isOfSums ? "sum" : "mean", fmt::join(isOfSums ? sums : means, ", "));
}

} // namespace

Result<TotalRows> findTotalRows(const data::DataSource& source)
{
    TotalRows found;
    const data::TableSchema& schema = source.schema();
    // The last row is only known if all were read.
    if (!schema.sawAllRows || schema.rowsSeen <= kFewestSummed ||
        schema.rowsSeen > kMostSummedRows) {
        return found;
    }
    CANNERY_TRY_ASSIGN(const std::vector<Row> rows, source.preview(kMostSummedRows));
    const auto isFilled = [](const std::string& cell) { return !cell.empty(); };
    if (rows.empty() || schema.columns.front().index != 0 ||
        std::ranges::none_of(rows.back(), isFilled)) {
        return found;
    }
    std::vector<std::string> names;
    for (const data::ColumnSchema& column : schema.columns) {
        if (column.dtype != DType::String && column.index != 0 && !column.listOf) {
            names.push_back(column.name);
        }
    }
    CANNERY_TRY_ASSIGN(const Sums sums, sumUp(source, names, rows));
    takeTotal(rows, names, sums.columns, delimiterOf(source), found);
    if (sums.parts.size() > 1) {
        found.notes.push_back(fmt::format(
            "{} rows, the first called {}, hold subtotals of the rows above them: take them out of "
            "the file, or those rows count twice",
            sums.parts.size(), *std::ranges::find_if(rows[sums.parts.front()], isCalledPart)));
    }
    return found;
}

} // namespace cannery::advice
