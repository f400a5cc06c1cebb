// SPDX-License-Identifier: Apache-2.0
#include "core/advice/cell_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

namespace cannery::advice {

namespace {

/// A sentinel occurs at least so often, beside so many other values.
constexpr std::uint64_t kFewestSentinels = 3;
constexpr std::uint64_t kFewestOthers = 3;
/// The others take at most this part of the range: two thirds lie empty.
constexpr double kRangeOfOthers = 1.0 / 3;
/// Cells with several values, and different cells, at least.
constexpr double kFewestWithSeveral = 0.2;
constexpr std::uint64_t kFewestLists = 10;
/// Each value occurs this often in the mean.
constexpr double kFewestOfPiece = 4;
/// There are fewer values than cells: half as many, or nearly as many with a mark that texts lack.
constexpr double kMostPiecesOfMark = 0.7;
constexpr double kMostPiecesOfComma = 0.5;
/// A recurring word is in so many of the texts, and not in nearly all.
constexpr double kFewestOfWord = 0.01;
constexpr double kMostOfWord = 0.95;
constexpr std::uint64_t kFewestTextsOfWord = 3;
constexpr std::size_t kFewestWords = 3;

bool isBlank(char character)
{
    return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

/// In lower case, without blanks around it and with one between words.
std::string spellingOf(std::string_view text)
{
    std::string spelling;
    for (const char character : text) {
        if (!isBlank(character)) {
            const bool isUpper = character >= 'A' && character <= 'Z';
            spelling += isUpper ? static_cast<char>(character - 'A' + 'a') : character;
        } else if (!spelling.empty() && spelling.back() != ' ') {
            spelling += ' ';
        }
    }
    if (spelling.ends_with(' ')) {
        spelling.pop_back();
    }
    return spelling;
}

bool isAllNines(double value)
{
    const std::string digits = fmt::format("{:.0f}", std::fabs(value));
    // At least two nines: a 9 may be a count.
    return value == std::floor(value) && digits.size() > 1 &&
           digits.find_first_not_of('9') == std::string::npos;
}

/// How often each piece occurs in the known values.
struct Pieces
{
    std::unordered_map<std::string_view, std::uint64_t> counts;
    std::uint64_t total = 0;
    std::uint64_t cells = 0;
    std::uint64_t cellsWithSeveral = 0;
};

Pieces countPieces(const data::ColumnStatistics& column, std::string_view separator)
{
    Pieces pieces;
    for (const data::ValueCount& value : column.top) {
        const std::vector<std::string_view> each = piecesOf(value.value, separator);
        pieces.cells += value.count;
        // By rows, so that frequent cells count as often as they occur.
        pieces.cellsWithSeveral += each.size() > 1 ? value.count : 0;
        for (const std::string_view piece : each) {
            pieces.counts[piece] += value.count;
            pieces.total += value.count;
        }
    }
    return pieces;
}

bool areLists(const data::ColumnStatistics& column, std::string_view separator)
{
    const Pieces pieces = countPieces(column, separator);
    const auto different = static_cast<double>(pieces.counts.size());
    // Commas occur in texts as well, so they need stronger evidence.
    const double most = separator.front() == ',' ? kMostPiecesOfComma : kMostPiecesOfMark;
    return static_cast<double>(pieces.cellsWithSeveral) >=
               kFewestWithSeveral * static_cast<double>(pieces.cells) &&
           static_cast<double>(pieces.total) >= kFewestOfPiece * different &&
           different <= most * static_cast<double>(column.top.size());
}

} // namespace

std::vector<std::string_view> piecesOf(std::string_view cell, std::string_view separator)
{
    std::vector<std::string_view> pieces;
    while (!cell.empty()) {
        const std::size_t end = std::min(cell.find(separator), cell.size());
        // Separators side by side have no value between them.
        if (end > 0) {
            pieces.push_back(cell.substr(0, end));
        }
        cell.remove_prefix(std::min(end + separator.size(), cell.size()));
    }
    return pieces;
}

std::optional<Sentinel> findSentinel(const data::ColumnStatistics& column)
{
    const std::vector<double>& bars = column.histogram.counts;
    // With few values or bars an empty range means nothing.
    if (column.dtype == DType::String || bars.size() < 10 || column.distinct <= kFewestOthers) {
        return std::nullopt;
    }
    const auto sentinelAt = [&](double value, bool isLowest) -> std::optional<Sentinel> {
        const auto known =
            std::find_if(column.top.begin(), column.top.end(), [&](const data::ValueCount& one) {
                return one.count >= kFewestSentinels &&
                       std::strtod(one.value.c_str(), nullptr) == value;
            });
        if (known == column.top.end()) {
            return std::nullopt;
        }
        const double own = isLowest ? bars.front() : bars.back();
        // As many bars as must be empty for a gap.
        const auto empty = static_cast<std::size_t>(
            std::floor(static_cast<double>(bars.size()) * (1 - kRangeOfOthers)));
        for (std::size_t i = 1; i < empty; ++i) {
            if ((isLowest ? bars[i] : bars[bars.size() - 1 - i]) > 0) {
                return std::nullopt;
            }
        }
        // The bar's count may be an estimate, so it may exceed that of the value a little.
        if (own > 1.01 * static_cast<double>(known->count)) {
            return std::nullopt; // a group of numbers, not one
        }
        // One quantile may lie between it and the others.
        const auto negative =
            std::count_if(column.quantiles.begin(), column.quantiles.end(),
                          [&](double quantile) { return quantile > value && quantile < 0; });
        const bool isOnlyNegative = isLowest && value < 0 && negative <= 1;
        // A value in most rows is the usual one, not a missing one.
        const bool isRare = known->count * 2 < column.count;
        return Sentinel{.value = value,
                        .text = known->value,
                        .count = known->count,
                        .isCertain = isRare && (isAllNines(value) || isOnlyNegative)};
    };
    // A sentinel is mostly a small number such as -1 or -999.
    std::optional<Sentinel> lowest = sentinelAt(column.min, true);
    return lowest ? lowest : sentinelAt(column.max, false);
}

std::optional<std::string> findSeparator(const data::ColumnStatistics& column)
{
    if (column.dtype != DType::String || column.top.size() < kFewestLists) {
        return std::nullopt;
    }
    // A comma last, as texts have commas too.
    for (const std::string_view mark : {"|", ";", ","}) {
        std::uint64_t marks = 0;
        std::uint64_t spaced = 0;
        for (const data::ValueCount& value : column.top) {
            for (std::size_t at = value.value.find(mark); at != std::string::npos;
                 at = value.value.find(mark, at + 1)) {
                ++marks;
                spaced += value.value.compare(at + 1, 1, " ") == 0 ? 1 : 0;
            }
        }
        // This mark does not occur at all.
        if (marks == 0) {
            continue;
        }
        // A blank behind nearly every mark is part of the separator, not of the values.
        const std::string separator = std::string(mark) + (spaced * 10 >= marks * 9 ? " " : "");
        if (areLists(column, separator)) {
            return separator;
        }
    }
    return std::nullopt;
}

bool hasRecurringWords(const data::ColumnStatistics& column)
{
    if (column.dtype != DType::String) {
        return false;
    }
    const Pieces pieces = countPieces(column, " ");
    const auto texts = static_cast<double>(pieces.cells);
    const auto words =
        std::count_if(pieces.counts.begin(), pieces.counts.end(), [&](const auto& word) {
            const auto count = static_cast<double>(word.second);
            // A word in nearly every text tells them apart as little as one in a single text.
            return word.second >= kFewestTextsOfWord && count >= kFewestOfWord * texts &&
                   count <= kMostOfWord * texts;
        });
    return static_cast<std::size_t>(words) >= kFewestWords &&
           static_cast<double>(pieces.cellsWithSeveral) >= texts / 2;
}

std::vector<std::vector<std::string>> findSpellings(const data::ColumnStatistics& column)
{
    std::map<std::string, std::vector<std::string>> groups;
    if (column.dtype == DType::String) {
        for (const data::ValueCount& value : column.top) {
            groups[spellingOf(value.value)].push_back(value.value);
        }
    }
    std::vector<std::vector<std::string>> several;
    for (auto& [spelling, values] : groups) {
        // A group of one is written in one way.
        if (values.size() > 1) {
            several.push_back(std::move(values));
        }
    }
    return several;
}

std::string spellingRemark(const data::ColumnStatistics& column)
{
    const std::vector<std::vector<std::string>> groups = findSpellings(column);
    if (groups.empty()) {
        return {};
    }
    std::string values;
    const std::vector<std::string>& group = groups.front();
    for (std::size_t i = 0; i < group.size(); ++i) {
        values += (i == 0                  ? ""
                   : i + 1 == group.size() ? " and "
                                           : ", ") +
                  fmt::format("\"{}\"", group[i]);
    }
    const std::string others = groups.size() == 1
                                   ? std::string()
                                   : fmt::format(" (and {} more such groups)", groups.size() - 1);
    return fmt::format("holds {}{}, which differ only in case or blanks: if they mean the same, "
                       "make them equal in the table",
                       values, others);
}

} // namespace cannery::advice
