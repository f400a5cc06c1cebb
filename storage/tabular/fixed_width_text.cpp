// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/fixed_width_text.h"

#include "storage/tabular/csv/csv_cell.h"
#include "storage/tabular/csv/csv_dialect.h"
#include "storage/tabular/csv/header_evidence.h"
#include "storage/tabular/number_notation.h"
#include "storage/tabular/number_parser.h"
#include "storage/tabular/text_bytes.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cannery::storage {

namespace {

/// A header and so many rows may line up by chance.
constexpr std::size_t kFewestLines = 5;
/// Of the cells of a column of numbers, the least part that are numbers.
constexpr double kMostlyNumbers = 0.9;

bool isTextBlank(char byte)
{
    return kTextBlanks.find(byte) != std::string_view::npos;
}

/// Whether a byte begins a character of UTF-8.
bool isFirstByte(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

std::string_view withoutBlanksBehind(std::string_view line)
{
    return line.substr(0, line.find_last_not_of(kTextBlanks) + 1);
}

/// A line of nothing but dashes, below a header or a table.
bool isRuler(std::string_view line)
{
    return line.find_first_not_of("-=+_ ") == std::string_view::npos;
}

/// Calls line(text) for every line, without its end, until it returns false.
template <typename Line>
void eachLine(std::string_view lines, const Line& line)
{
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        if (!line(withoutBlanksBehind(lines.substr(0, end)))) {
            return;
        }
        lines.remove_prefix(std::min(end + 1, lines.size()));
    }
}

/// The cells of a line, without the blanks around them.
class CellCutter
{
public:
    CellCutter(std::string_view line, const FixedWidth& layout) : m_line(line), m_layout(layout) {}

    /// One for each column; `crossed` becomes the first column whose beginning a text crosses.
    std::vector<std::string_view> cells(std::size_t& crossed)
    {
        std::vector<std::string_view> cells;
        const std::vector<std::int64_t>& starts = m_layout.starts;
        for (std::size_t i = 0; i < starts.size(); ++i) {
            const std::size_t begin = i == 0 ? 0 : byteAt(starts[i]);
            if (i > 0 && begin > 0 && begin < m_line.size() && !isTextBlank(m_line[begin]) &&
                !isTextBlank(m_line[begin - 1])) {
                crossed = std::min(crossed, i);
            }
            const std::size_t end = i + 1 < starts.size() ? byteAt(starts[i + 1]) : m_line.size();
            cells.push_back(withoutBlanks(m_line.substr(begin, end - begin)));
        }
        return cells;
    }

private:
    /// Where a character begins; places are asked for in ascending order.
    std::size_t byteAt(std::int64_t place)
    {
        while (m_at < m_line.size() && m_place < place) {
            ++m_at;
            while (m_at < m_line.size() && !isFirstByte(m_line[m_at])) {
                ++m_at;
            }
            ++m_place;
        }
        return m_at;
    }

    std::string_view m_line;
    const FixedWidth& m_layout;
    std::size_t m_at = 0;
    std::int64_t m_place = 0;
};

class FixedWidthConverter final : public RecordConverter
{
public:
    explicit FixedWidthConverter(FixedWidth layout)
        : m_layout(std::move(layout)), m_header(wordsOf(m_layout.header))
    {}

    tl::expected<bool, std::string> append(std::string_view record, std::string& csv) override
    {
        const bool mayBeHeader =
            !m_header.empty() && withoutBlanks(record).starts_with(m_header.front());
        if (mayBeHeader && wordsOf(record) == m_header) {
            return false;
        }
        return appendFixedWidth(record, m_layout, csv);
    }

private:
    FixedWidth m_layout;
    std::vector<std::string_view> m_header; ///< need not be aligned as its rows are
};

/// The numbers among the cells of each column, below the first line.
bool hasColumnOfNumbers(std::string_view lines, const FixedWidth& layout)
{
    std::vector<std::size_t> numbers(layout.starts.size());
    std::vector<std::size_t> filled(layout.starts.size());
    bool isFirst = true;
    eachLine(lines, [&](std::string_view line) {
        if (isRuler(line) || std::exchange(isFirst, false)) {
            return true;
        }
        std::size_t crossed = layout.starts.size();
        const std::vector<std::string_view> cells = CellCutter(line, layout).cells(crossed);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            filled[i] += cells[i].empty() ? 0 : 1;
            numbers[i] += looksNumeric(PaddedText(cells[i]).view(), ' ') ? 1 : 0;
        }
        return true;
    });
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (filled[i] + 1 >= kFewestLines &&
            static_cast<double>(numbers[i]) >= kMostlyNumbers * static_cast<double>(filled[i])) {
            return true;
        }
    }
    return false;
}

/// Whether a delimiter, or runs of blanks, cut the lines into cells: every line into as many, if
/// the columns are as many.
bool isDelimited(std::string_view lines, const FixedWidth& layout)
{
    const DialectGuess guess = detectDialect(lines, false, {});
    if (!guess.dialect.isBlankSeparated() || guess.layout.columns > layout.starts.size()) {
        return guess.layout.columns > 1;
    }
    bool areAll = true;
    eachLine(lines, [&](std::string_view line) {
        return areAll = isRuler(line) || wordsOf(line).size() == guess.layout.columns;
    });
    return areAll;
}

std::vector<std::int64_t> startsIn(std::string_view lines)
{
    ColumnFinder finder;
    finder.add(lines);
    return finder.starts();
}

/// Whether places that are blank in every line are hardly so by chance.
bool hasManyLines(std::string_view lines)
{
    constexpr std::ptrdiff_t kMany = 12;
    return std::count(lines.begin(), lines.end(), '\n') > kMany;
}

/// Whether some of the first lines hide places where columns begin below them; names alone do, too.
bool hasTitle(std::string_view lines, const FixedWidth& layout)
{
    constexpr int kMostTitles = 4;
    for (int i = 0; i < kMostTitles && hasManyLines(lines); ++i) {
        const std::string_view first = firstRowLine(lines);
        lines = std::string_view(first.end(), lines.end());
        const std::size_t columns = startsIn(lines).size();
        if (columns > layout.starts.size()) {
            return i > 0 || wordsOf(first).size() != columns;
        }
    }
    return false;
}

} // namespace

bool ColumnFinder::addLine(std::string_view line)
{
    if (isRuler(line)) {
        return true;
    }
    std::size_t place = 0;
    for (const char byte : line) {
        if (!isFirstByte(byte)) {
            continue;
        }
        if (byte == '\t' || place == kWidestLine) {
            return false;
        }
        if (place == m_texts.size()) {
            m_texts.push_back(0);
        }
        m_texts[place++] += isTextBlank(byte) ? 0 : 1;
    }
    return true;
}

void ColumnFinder::add(std::string_view lines)
{
    if (m_fits) {
        eachLine(lines, [&](std::string_view line) { return m_fits = addLine(line); });
    }
}

std::vector<std::int64_t> ColumnFinder::starts() const
{
    std::vector<std::int64_t> starts;
    std::size_t place = 0;
    while (m_fits && place < m_texts.size()) {
        std::size_t begin = place;
        while (begin < m_texts.size() && m_texts[begin] == 0) {
            ++begin;
        }
        std::size_t end = begin;
        while (end < m_texts.size() && m_texts[end] > 0) {
            ++end;
        }
        if (begin == end) {
            break;
        }
        // Numbers end at the same place: in other lines they may be longer at their front.
        const bool isRight = m_texts[end - 1] > m_texts[begin];
        const std::size_t gap = starts.empty() ? begin : place + 1;
        starts.push_back(static_cast<std::int64_t>(isRight ? gap : begin));
        place = end;
    }
    return starts.size() > 1 ? starts : std::vector<std::int64_t>();
}

std::string_view firstRowLine(std::string_view lines)
{
    std::string_view first;
    eachLine(lines, [&](std::string_view line) {
        first = isRuler(line) ? std::string_view() : line;
        return first.empty();
    });
    return first;
}

std::vector<std::string_view> wordsOf(std::string_view line)
{
    std::vector<std::string_view> words;
    while (true) {
        line.remove_prefix(std::min(line.find_first_not_of(kTextBlanks), line.size()));
        if (line.empty()) {
            return words;
        }
        const std::size_t end = std::min(line.find_first_of(kTextBlanks), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

tl::expected<bool, std::string> appendFixedWidth(std::string_view line, const FixedWidth& layout,
                                                 std::string& csv)
{
    line = withoutBlanksBehind(line);
    if (isRuler(line)) {
        return false;
    }
    std::size_t crossed = layout.starts.size();
    const std::vector<std::string_view> cells = CellCutter(line, layout).cells(crossed);
    if (crossed < cells.size() && !layout.isPacked) {
        return tl::make_unexpected(fmt::format("a text crosses place {}, where column {} begins",
                                               layout.starts[crossed], crossed + 1));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) {
            csv += ',';
        }
        appendCsvCell(cells[i], csv);
    }
    return true;
}

bool beginsAsFixedWidth(std::string_view text)
{
    // The last line of a beginning may be cut.
    text = text.substr(0, text.rfind('\n') + 1);
    const FixedWidth layout{.starts = startsIn(text)};
    return !layout.starts.empty() && !hasTitle(text, layout) &&
           static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= kFewestLines &&
           !isDelimited(text, layout) && hasColumnOfNumbers(text, layout);
}

std::unique_ptr<RecordConverter> makeFixedWidthConverter(FixedWidth layout)
{
    return std::make_unique<FixedWidthConverter>(std::move(layout));
}

} // namespace cannery::storage
