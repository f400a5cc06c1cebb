// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv_dialect.h"

#include "storage/tabular/cell_table.h"
#include "storage/tabular/csv_scanner.h"
#include "storage/tabular/number_notation.h"
#include "storage/tabular/number_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

namespace cannery::storage {

namespace {

constexpr std::array<char, 4> kCandidates = {',', '\t', ';', '|'};
constexpr std::size_t kRowsLookedAt = 200;

/// How a sample splits under one delimiter.
struct Trial
{
    char delimiter = ',';
    CellTable table;
    double score = 0; ///< fraction of records with the header's number of fields; 0 for one field
};

Trial tryDelimiter(std::string_view text, bool isWhole, CsvDialect dialect, char delimiter)
{
    Trial trial;
    trial.delimiter = delimiter;
    dialect.delimiter = delimiter;
    const std::size_t end = findRecordsEnd(text, dialect, isWhole).end;
    scanCells(end > 0 ? text.substr(0, end) : text, dialect, trial.table);
    const double good = static_cast<double>(trial.table.rowCount());
    const double all = good + trial.table.problemCount;
    trial.score = trial.table.columns > 1 && all > 0 ? good / all : 0;
    return trial;
}

/// Whether a cell is a number, possibly with a decimal comma if cells are not cut at commas.
bool looksNumeric(std::string_view text, char delimiter)
{
    double value = 0;
    const std::string_view bare = trimmed(text);
    const bool startsAsNumber = !bare.empty() && bare.find_first_of("0123456789") <= 2;
    if (!startsAsNumber || delimiter == ',' || bare.find(',') == std::string_view::npos) {
        return startsAsNumber && parseDouble(bare, value) != NumberStatus::NotANumber;
    }
    NotationReader decimal({.decimalMark = ','});
    const auto number = decimal.rewritten(bare);
    return number && parseDouble(*number, value) != NumberStatus::NotANumber;
}

/// Whether all cells are numbers, and some only with a decimal comma. Then commas split the records
/// as evenly, but wrongly.
bool isOfCommaNumbers(const Trial& trial)
{
    bool hasComma = false;
    const std::size_t cells = std::min(trial.table.rowCount(), kRowsLookedAt) * trial.table.columns;
    for (std::size_t i = 0; i < cells; ++i) {
        const std::string_view text = trial.table.raw(trial.table.cells[i]);
        if (!looksNumeric(text, trial.delimiter)) {
            return false;
        }
        hasComma = hasComma || text.find(',') != std::string_view::npos;
    }
    return hasComma;
}

struct HeaderEvidence
{
    std::string number;   ///< a number in the first record
    std::string repeated; ///< a text of the first record that occurs again below it
    std::string named;    ///< a name above a column of numbers
    bool hasDuplicates = false;
};

HeaderEvidence lookAtHeader(const CellTable& table, const CsvDialect& dialect)
{
    HeaderEvidence evidence;
    const char quote = dialect.quote;
    std::string scratch;
    std::set<std::string> seen;
    const std::size_t rows = std::min(table.rowCount(), kRowsLookedAt);
    for (std::size_t column = 0; column < table.columns; ++column) {
        const std::string first(table.value(table.cell(0, column), quote, scratch));
        if (first.empty()) {
            continue;
        }
        evidence.hasDuplicates = !seen.insert(first).second || evidence.hasDuplicates;
        if (looksNumeric(table.raw(table.cell(0, column)), dialect.delimiter)) {
            evidence.number = first;
            continue;
        }
        bool allNumbers = rows > 1;
        for (std::size_t row = 1; row < rows; ++row) {
            const std::string_view below = table.value(table.cell(row, column), quote, scratch);
            if (below == first) {
                evidence.repeated = first;
            }
            allNumbers =
                allNumbers && looksNumeric(table.raw(table.cell(row, column)), dialect.delimiter);
        }
        if (allNumbers && evidence.named.empty()) {
            evidence.named = first;
        }
    }
    return evidence;
}

bool guessHeader(const CellTable& table, const CsvDialect& dialect, std::string& reason)
{
    if (table.rowCount() == 0) {
        reason = "there is nothing to judge by";
        return true;
    }
    const HeaderEvidence evidence = lookAtHeader(table, dialect);
    if (!evidence.number.empty()) {
        reason = fmt::format("\"{}\" in the first line is a number, not a name", evidence.number);
        return false;
    }
    if (!evidence.named.empty()) {
        reason = fmt::format("\"{}\" is above a column of numbers", evidence.named);
        return true;
    }
    if (!evidence.repeated.empty() || evidence.hasDuplicates) {
        reason = fmt::format("the first line looks like the others: \"{}\" occurs again",
                             evidence.repeated);
        return evidence.repeated.empty();
    }
    reason = "the texts of the first line are all different and do not occur below";
    return true;
}

} // namespace

std::string delimiterName(char delimiter)
{
    switch (delimiter) {
    case ',':
        return "comma";
    case '\t':
        return "tab";
    case ';':
        return "semicolon";
    case '|':
        return "bar";
    case ' ':
        return "space";
    default:
        return fmt::format("'{}'", delimiter);
    }
}

DialectGuess detectDialect(std::string_view sample, bool isWhole, const DialectHints& hints)
{
    DialectGuess guess;
    guess.dialect.quote = hints.useQuotes ? '"' : '\0';
    guess.dialect.encoding = hints.encoding;
    guess.encoding = hints.encoding;
    guess.dialect.decimalComma = hints.decimalComma;
    std::string padded(kTextPadding, '\0');
    padded.append(sample);
    padded.append(kTextPadding, '\0');
    const std::string_view text = std::string_view(padded).substr(kTextPadding, sample.size());

    const bool isTabFile = hints.fileName.ends_with(".tsv") || hints.fileName.ends_with(".tab") ||
                           hints.fileName.ends_with(".tsv.gz");
    Trial best = tryDelimiter(text, isWhole, guess.dialect,
                              hints.delimiter.value_or(isTabFile ? '\t' : ','));
    guess.delimiterReason = hints.delimiter ? "as the experiment says" : "";
    if (!hints.delimiter) {
        for (const char candidate : kCandidates) {
            Trial trial = tryDelimiter(text, isWhole, guess.dialect, candidate);
            const bool isTie = trial.score > 0 && trial.score == best.score;
            if (trial.score > best.score ||
                (isTie && best.delimiter == ',' && isOfCommaNumbers(trial))) {
                best = std::move(trial);
            }
        }
        guess.delimiterReason =
            best.score > 0
                ? fmt::format("a {} cuts {} of {} records into {} fields",
                              delimiterName(best.delimiter), best.table.rowCount(),
                              best.table.rowCount() + best.table.problemCount, best.table.columns)
                : std::string("no delimiter occurs in the first line: one column");
    }
    guess.dialect.delimiter = best.delimiter;
    guess.headerReason = "as the experiment says";
    guess.dialect.hasHeader = hints.hasHeader
                                  ? *hints.hasHeader
                                  : guessHeader(best.table, guess.dialect, guess.headerReason);
    return guess;
}

} // namespace cannery::storage
