// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/quote_evidence.h"

#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/line_cutter.h"

#include <array>

namespace cannery::storage {

namespace {

class QuoteSink
{
public:
    explicit QuoteSink(std::string_view text) : m_text(text) {}

    bool isDone() const { return false; }
    void run(std::size_t, std::uint64_t, std::size_t) {}
    void cell(std::size_t begin, std::uint32_t lengthAndFlags)
    {
        const bool isQuoted = (lengthAndFlags & CellSpan::kQuoted) != 0;
        const std::string_view before = m_text.substr(0, begin);
        m_use.quoted += isQuoted ? 1 : 0;
        m_use.formulas +=
            // Also doubled, as it stands inside a quoted cell.
            isQuoted && (before.ends_with("=\"") || before.ends_with("=\"\"")) ? 1 : 0;
    }
    void fault(RowFault, std::size_t) { m_hasFault = true; }
    void unclosed(std::size_t, std::size_t)
    {
        m_hasFault = true;
        endRecord();
    }
    void skipped(std::size_t) {}
    void record(std::size_t, std::size_t, std::size_t) { endRecord(); }

    const QuoteUse& use() const { return m_use; }

private:
    void endRecord()
    {
        ++m_use.records;
        m_use.faults += m_hasFault ? 1 : 0;
        m_hasFault = false;
    }

    std::string_view m_text;
    QuoteUse m_use;
    bool m_hasFault = false;
};

bool areSingleQuotes(const QuoteUse& before, const QuoteUse& after)
{
    // Never in place of double quotes. Apostrophes within words are faults or leave cells unquoted.
    return before.quoted == 0 && after.faults == 0 && after.quoted > 1 &&
           after.quoted * 2 >= after.records;
}

constexpr auto kStyles = std::to_array<QuoteStyle>({
    {.sign = "'",
     .isOpen = [](const DialectHints& hints) { return !hints.quote; },
     .apply = [](CsvDialect& dialect) { dialect.quote = '\''; },
     .isBetter = &areSingleQuotes,
     .reason = "cells are enclosed in single quotes"},
    {.sign = "\\'",
     .isOpen = [](const DialectHints& hints) { return !hints.quote && !hints.escape; },
     .apply =
         [](CsvDialect& dialect) {
             dialect.quote = '\'';
             dialect.escape = '\\';
         },
     .isBetter = &areSingleQuotes,
     .reason = "cells are enclosed in single quotes, with those within them behind a backslash"},
    {.sign = "\\",
     .isOpen = [](const DialectHints& hints) { return !hints.escape && hints.quote != '\0'; },
     .apply = [](CsvDialect& dialect) { dialect.escape = '\\'; },
     .isBetter = [](const QuoteUse& before,
                    // Some lone quotes occur in any text. A tenth of them shows that the escape
                    // explains the rest.
                    const QuoteUse& after) { return before.faults > 10 * after.faults; },
     .reason = "quotes within cells stand behind a backslash"},
    {.sign = " \"",
     .isOpen = [](const DialectHints& hints) { return !hints.skipsBlanks && hints.quote != '\0'; },
     .apply = [](CsvDialect& dialect) { dialect.skipsBlanks = true; },
     .isBetter =
         [](const QuoteUse& before, const QuoteUse& after) {
             return after.quoted > before.quoted && after.faults <= before.faults;
         },
     .reason = "quotes stand behind blanks"},
    {.sign = "\"",
     .isOpen = [](const DialectHints& hints) { return !hints.quote; },
     .apply = [](CsvDialect& dialect) { dialect.quote = '\0'; },
     .isBetter =
         [](const QuoteUse& before, const QuoteUse&) {
             constexpr std::size_t kFewest = 3;
             // Tab-separated files are often written without any quoting: inch marks then begin
             // cells.
             return before.delimiter == '\t' && before.faults >= kFewest &&
                    before.faults * 2 >= before.quoted;
         },
     .reason = "quotes at the beginning of cells do not enclose them"},
    {.sign = "=\"",
     .isOpen = [](const DialectHints& hints) { return !hints.formulaQuotes; },
     .apply = [](CsvDialect& dialect) { dialect.formulaQuotes = true; },
     .isBetter =
         [](const QuoteUse& before, const QuoteUse& after) {
             return after.formulas > before.formulas && after.faults <= before.faults;
         },
     .reason = "texts are written as formulas, as spreadsheets keep them"},
});

} // namespace

QuoteUse quoteUse(std::string_view text, bool isWhole, const CsvDialect& dialect)
{
    const std::string_view records = text.substr(0, findRecordsEnd(text, dialect, isWhole).end);
    QuoteSink sink(records);
    cutRecords(records, dialect, sink);
    QuoteUse use = sink.use();
    use.delimiter = dialect.delimiter;
    return use;
}

std::span<const QuoteStyle> quoteStyles()
{
    return kStyles;
}

} // namespace cannery::storage
