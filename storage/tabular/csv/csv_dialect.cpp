// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_dialect.h"

#include "storage/tabular/cell_table.h"
#include "storage/tabular/csv/csv_layout.h"
#include "storage/tabular/csv/csv_limits.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/csv/header_evidence.h"
#include "storage/tabular/csv/quote_evidence.h"
#include "storage/tabular/sample_records.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace cannery::storage {

namespace {

constexpr std::array<char, 6> kCandidates = {',', '\t', ';', '|', '^', '~'};
/// A delimiter that cuts fewer records into the same number of fields may be one by chance.
constexpr double kEnough = 0.8;
/// Runs of blanks, which texts have too, must cut at least as many, and nearly a column of numbers.
constexpr double kEnoughOfBlanks = 0.9;
/// A table that begins in the first line is likelier than one below lines that are cut differently.
constexpr double kBelowOthers = 0.9;
/// Of a table below such lines, if it has no numbers.
constexpr std::size_t kFewestTexts = 10;

/// How a sample splits under one delimiter.
struct Trial
{
    CsvDialect dialect;
    std::vector<SampleRecord> records;
    std::size_t from = 0;  ///< after lines that are remarks by their first bytes
    std::size_t width = 0; ///< that most records have
    double score = 0;      ///< fraction of records with that width; 0 if it is 1
};

CellTable tableOf(const Trial& trial, std::string_view text)
{
    std::size_t first = trial.from;
    while (first < trial.records.size() && trial.records[first].fields != trial.width) {
        ++first;
    }
    return rowsOf(text, trial.records, first, trial.width, trial.dialect);
}

/// Whether nearly all cells of some column are numbers.
bool hasNumbers(const Trial& trial, std::string_view text)
{
    const CellTable table = tableOf(trial, text);
    for (std::size_t column = 0; column < table.columns; ++column) {
        std::size_t numbers = 0;
        for (std::size_t row = 0; row < table.rowCount(); ++row) {
            numbers +=
                looksNumeric(table.raw(table.cell(row, column)), trial.dialect.delimiter) ? 1 : 0;
        }
        // One cell may be a header.
        if (numbers > 0 && (numbers + 1) * 10 >= table.rowCount() * 9) {
            return true;
        }
    }
    return false;
}

Trial tryDelimiter(std::string_view text, bool isWhole, CsvDialect dialect, char delimiter)
{
    Trial trial{.dialect = std::move(dialect)};
    trial.dialect.delimiter = delimiter;
    trial.records = recordsOf(text, isWhole, trial.dialect);
    const auto line = [&](const SampleRecord& record) {
        return text.substr(record.begin, record.end - record.begin);
    };
    const auto first =
        std::find_if(trial.records.begin(), trial.records.end(),
                     [&](const SampleRecord& record) { return !isRemark(line(record)); });
    trial.from =
        first == trial.records.end() ? 0 : static_cast<std::size_t>(first - trial.records.begin());
    trial.width = usualWidth(trial.records, trial.from);
    const auto all = static_cast<double>(trial.records.size() - trial.from);
    const auto good = static_cast<double>(countOfWidth(trial.records, trial.from, trial.width));
    if (trial.width < 2 || trial.width > kCsvColumns.value()) {
        trial.score = trial.width < 2 ? 0 : good / all;
        return trial;
    }
    // Prose has commas, too; but R, which puts names in quotes between blanks, has none for the
    // rows' names.
    const SampleRecord& top = trial.records[trial.from];
    const bool isNameShort = trial.dialect.isBlankSeparated() && top.fields + 1 == trial.width &&
                             text[top.begin] == trial.dialect.quote;
    const bool isBelowOthers = top.fields != trial.width && !isNameShort;
    trial.score = (good + (isNameShort ? 1 : 0)) / all * (isBelowOthers ? kBelowOthers : 1);
    const bool isLikely =
        trial.score >= kEnough * kBelowOthers && trial.records.size() >= kFewestTexts;
    if (isBelowOthers && !isLikely && !hasNumbers(trial, text)) {
        trial.score = 0;
    }
    return trial;
}

/// Whether all cells are numbers, and some only with a decimal comma. Then commas split the records
/// as evenly, but wrongly.
bool isOfCommaNumbers(const Trial& trial, std::string_view text)
{
    const CellTable table = tableOf(trial, text);
    bool hasComma = false;
    for (std::size_t i = 0; i < table.rowCount() * table.columns; ++i) {
        const std::string_view cell = table.raw(table.cells[i]);
        if (!looksNumeric(cell, trial.dialect.delimiter)) {
            return false;
        }
        hasComma = hasComma || cell.find(',') != std::string_view::npos;
    }
    return hasComma;
}

Trial bestTrial(std::string_view text, bool isWhole, const CsvDialect& dialect, char usual)
{
    Trial best = tryDelimiter(text, isWhole, dialect, usual);
    for (const char candidate : kCandidates) {
        Trial trial = tryDelimiter(text, isWhole, dialect, candidate);
        const bool isTie = trial.score > 0 && trial.score == best.score;
        if (trial.score > best.score ||
            // A tie goes to the delimiter that comes first, but for numbers with decimal commas.
            (isTie && best.dialect.delimiter == ',' && isOfCommaNumbers(trial, text))) {
            best = std::move(trial);
        }
    }
    // Tabs among runs of blanks cut nearly all rows, too.
    if (best.score < kEnough || (best.dialect.delimiter == '\t' && best.score < 1)) {
        Trial blanks = tryDelimiter(text, isWhole, dialect, ' ');
        if (blanks.score >= kEnoughOfBlanks && blanks.score > best.score &&
            hasNumbers(blanks, text)) {
            best = std::move(blanks);
        }
    }
    return best;
}

/// The delimiter that the caller or the file names, or the best one.
Trial trialOf(std::string_view text, bool isWhole, const CsvDialect& dialect,
              const DialectHints& hints)
{
    // What is named is taken, however well it fits.
    const char named = hints.delimiter.value_or(namedDelimiter(text));
    if (named != 0) {
        return tryDelimiter(text, isWhole, dialect, named);
    }
    const bool isTabFile = hints.fileName.ends_with(".tsv") || hints.fileName.ends_with(".tab") ||
                           hints.fileName.ends_with(".tsv.gz");
    return bestTrial(text, isWhole, dialect, isTabFile ? '\t' : ',');
}

/// Reads quotes in other ways than the usual one, and keeps what makes the records sound.
Trial withItsQuotes(std::string_view text, bool isWhole, const CsvDialect& dialect,
                    const DialectHints& hints, std::string& reason)
{
    Trial best = trialOf(text, isWhole, dialect, hints);
    for (const QuoteStyle& style : quoteStyles()) {
        std::string sign(style.sign);
        std::replace(sign.begin(), sign.end(), '"', best.dialect.quote);
        // Most tables have none of these signs, and cost no further trial.
        if (!style.isOpen(hints) || text.find(sign) == std::string_view::npos) {
            continue;
        }
        CsvDialect other = best.dialect;
        style.apply(other);
        Trial trial = trialOf(text, isWhole, other, hints);
        const QuoteUse before = quoteUse(text, isWhole, best.dialect);
        const QuoteUse after = quoteUse(text, isWhole, trial.dialect);
        if (style.isBetter(before, after) && trial.score >= best.score) {
            best = std::move(trial);
            reason = style.reason;
        }
    }
    return best;
}

std::string reasonOf(const Trial& best)
{
    return best.score > 0 ? fmt::format("{} cuts {} of {} records into {} fields",
                                        best.dialect.isBlankSeparated()
                                            ? "any run of spaces and tabs"
                                            : "a " + delimiterName(best.dialect.delimiter),
                                        countOfWidth(best.records, best.from, best.width),
                                        best.records.size() - best.from, best.width)
                          : std::string("no delimiter occurs in the first line: one column");
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
    guess.dialect.quote = hints.quote.value_or('"');
    guess.dialect.escape = hints.escape.value_or('\0');
    guess.dialect.skipsBlanks = hints.skipsBlanks.value_or(false);
    guess.dialect.formulaQuotes = hints.formulaQuotes.value_or(false);
    guess.dialect.encoding = hints.encoding;
    guess.encoding = hints.encoding;
    guess.dialect.decimalComma = hints.decimalComma;
    guess.dialect.comment = hints.comment;
    // The scanner loads whole vectors, before and behind the text as well.
    std::string padded(kTextPadding, '\0');
    padded.append(sample);
    padded.append(kTextPadding, '\0');
    const std::string_view text = std::string_view(padded).substr(kTextPadding, sample.size());
    const Trial best = withItsQuotes(text, isWhole, guess.dialect, hints, guess.quoteReason);
    guess.dialect = best.dialect;
    guess.delimiterReason = hints.delimiter             ? "as the experiment says"
                            : namedDelimiter(text) != 0 ? "the first line says so"
                                                        : reasonOf(best);
    guess.layout = findLayout(text, isWhole, guess.dialect, hints);
    guess.dialect.hasHeader = guess.layout.hasHeader;
    guess.dialect.headerRecord = guess.layout.headerRecord;
    return guess;
}

} // namespace cannery::storage
