// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/number_notation.h"

#include "storage/tabular/csv/csv_scanner.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace cannery::storage {

namespace {

/// Blanks between groups of digits, also no-break, narrow no-break, thin and figure space.
constexpr std::array<std::string_view, 6> kBlanks = {" ",      "\t",     "\u00A0",
                                                     "\u202F", "\u2009", "\u2007"};
constexpr std::array<std::string_view, 2> kApostrophes = {"'", "\u2019"};
constexpr std::string_view kLongMinus = "\u2212";
constexpr std::size_t kGroup = 3;
constexpr std::size_t kShortGroup = 2; ///< of India, but for the last

struct Magnitude
{
    std::string_view suffix;
    int power;
};

constexpr std::array<Magnitude, 8> kMagnitudes = {
    {{"k", 3}, {"m", 6}, {"mn", 6}, {"mio", 6}, {"b", 9}, {"bn", 9}, {"mrd", 9}, {"t", 12}}};

bool isDigit(char character)
{
    return character >= '0' && character <= '9';
}

template <typename Spellings>
std::size_t lengthOfOne(std::string_view text, const Spellings& spellings)
{
    for (const std::string_view one : spellings) {
        if (text.starts_with(one)) {
            return one.size();
        }
    }
    return 0;
}

std::size_t digitsAt(std::string_view text, std::size_t at)
{
    const auto* const begin = text.begin() + static_cast<std::ptrdiff_t>(at);
    return static_cast<std::size_t>(
        std::find_if(begin, text.end(), [](char one) { return !isDigit(one); }) - begin);
}

} // namespace

std::size_t groupMarkAt(std::string_view text, std::string_view mark)
{
    if (mark == " ") {
        return lengthOfOne(text, kBlanks);
    }
    if (mark == "'") {
        return lengthOfOne(text, kApostrophes);
    }
    return !mark.empty() && text.starts_with(mark) ? mark.size() : 0;
}

int magnitudeOf(std::string_view suffix)
{
    const auto isSame = [](char a, char b) {
        return a == std::tolower(static_cast<unsigned char>(b));
    };
    const auto* const found =
        std::find_if(kMagnitudes.begin(), kMagnitudes.end(), [&](const Magnitude& one) {
            return std::equal(one.suffix.begin(), one.suffix.end(), suffix.begin(), suffix.end(),
                              isSame);
        });
    return found == kMagnitudes.end() ? 0 : found->power;
}

bool areGroups(std::span<const std::size_t> sizes)
{
    if (sizes.size() < 2 || sizes.back() != kGroup) {
        return false;
    }
    const auto haveSize = [&](std::size_t size) {
        return sizes.front() >= 1 && sizes.front() <= size &&
               std::all_of(sizes.begin() + 1, sizes.end() - 1,
                           [size](std::size_t one) { return one == size; });
    };
    // India's groups of two need a third group: 12,34,567. With two groups, both notations agree.
    return haveSize(kGroup) || (sizes.size() > 2 && haveSize(kShortGroup));
}

std::string_view withoutBlanks(std::string_view text)
{
    // By spelling, not by character: some of these blanks are two or three bytes long.
    for (std::size_t length = 1; length > 0;) {
        length = lengthOfOne(text, kBlanks);
        text.remove_prefix(length);
    }
    const auto isAtEnd = [&](std::string_view blank) { return text.ends_with(blank); };
    for (const auto* blank = kBlanks.begin(); blank != kBlanks.end();) {
        blank = std::find_if(kBlanks.begin(), kBlanks.end(), isAtEnd);
        text.remove_suffix(blank == kBlanks.end() ? 0 : blank->size());
    }
    return text;
}

std::string sampleOf(const NumberNotation& notation)
{
    const std::string digits = "1" + notation.groupMark + "234" + notation.decimalMark + "5";
    return notation.bracketsNegative ? "(" + digits + ")" : digits;
}

NotationReader::NotationReader(NumberNotation notation) : m_notation(std::move(notation))
{
    // Blanks are removed before an affix is compared, so the affix has none either.
    for (std::string& affix : m_notation.affixes) {
        affix = withoutBlanks(affix);
    }
    std::erase_if(m_notation.affixes, [](const std::string& affix) { return affix.empty(); });
    m_isSimple = m_notation.groupMark.empty() && m_notation.affixes.empty() &&
                 !m_notation.bracketsNegative && !m_notation.minusBehind && !m_notation.magnitudes;
}

std::string_view NotationReader::padded(std::size_t begin)
{
    const std::size_t size = m_buffer.size() - begin;
    m_buffer.append(kTextPadding, ' ');
    return std::string_view(m_buffer).substr(begin, size);
}

std::optional<std::string_view> NotationReader::rewritten(std::string_view text)
{
    // Parsers may read the padding before a text as well.
    m_buffer.assign(kTextPadding, ' ');
    if (m_isSimple) {
        // A point in a column of decimal commas, or the reverse, would be read as another number.
        const char other = m_notation.decimalMark == '.' ? ',' : '.';
        if (text.find(other) != std::string_view::npos) {
            return std::nullopt;
        }
        m_buffer.append(text);
        std::replace(m_buffer.begin(), m_buffer.end(), m_notation.decimalMark, '.');
        return padded(kTextPadding);
    }
    m_isSigned = false;
    m_isNegative = false;
    m_magnitude = 0;
    if (!strip(text)) {
        return std::nullopt;
    }
    if (m_isNegative) {
        m_buffer.push_back('-');
    }
    if (!appendDigits(text)) {
        return std::nullopt;
    }
    if (m_magnitude > 0) {
        m_buffer.append("e").append(std::to_string(m_magnitude)); // a second exponent is an error
    }
    return padded(kTextPadding);
}

bool NotationReader::strip(std::string_view& text)
{
    // Sign, affix and brackets may come in any order, as in "-$5", "$-5" or "($5)": repeated until
    // nothing is removed.
    for (std::size_t before = text.size() + 1; text.size() < before;) {
        before = text.size();
        text = withoutBlanks(text);
        if (m_notation.bracketsNegative && text.starts_with('(') && text.ends_with(')')) {
            // Brackets are a sign: "(-5)" is no number.
            if (std::exchange(m_isSigned, true)) {
                return false;
            }
            m_isNegative = true;
            text = text.substr(1, text.size() - 2);
        } else if (!stripAffix(text) && !stripSign(text)) {
            return false;
        }
        // In each round, since an affix may stand behind the magnitude, as in "5k €".
        if (m_notation.magnitudes && m_magnitude == 0) {
            stripMagnitude(text);
        }
    }
    return true;
}

void NotationReader::stripMagnitude(std::string_view& text)
{
    const std::size_t digit = text.find_last_of("0123456789.,");
    if (digit != std::string_view::npos) {
        m_magnitude = magnitudeOf(withoutBlanks(text.substr(digit + 1)));
        text = m_magnitude > 0 ? text.substr(0, digit + 1) : text;
    }
}

/// Returns false if there is a second sign.
bool NotationReader::stripSign(std::string_view& text)
{
    if (m_notation.minusBehind && (text.ends_with('-') || text.ends_with(kLongMinus))) {
        m_isNegative = true;
        text.remove_suffix(text.back() == '-' ? 1 : kLongMinus.size());
        return !std::exchange(m_isSigned, true);
    }
    const bool isMinus = text.starts_with('-') || text.starts_with(kLongMinus);
    if (!isMinus && !text.starts_with('+')) {
        return true;
    }
    if (std::exchange(m_isSigned, true)) {
        return false;
    }
    m_isNegative = isMinus;
    text.remove_prefix(text.front() == kLongMinus.front() ? kLongMinus.size() : 1);
    return true;
}

/// One of them; what is left must not be empty.
bool NotationReader::stripAffix(std::string_view& text) const
{
    // The longest one: of "US$" and "$", the first must not lose its "$" only.
    std::size_t longest = 0;
    bool isPrefix = false;
    for (const std::string& affix : m_notation.affixes) {
        if (affix.size() > longest && affix.size() < text.size()) {
            const bool isBefore = text.starts_with(affix);
            if (isBefore || text.ends_with(affix)) {
                longest = affix.size();
                isPrefix = isBefore;
            }
        }
    }
    isPrefix ? text.remove_prefix(longest) : text.remove_suffix(longest);
    return longest > 0;
}

bool NotationReader::appendDigits(std::string_view text)
{
    if (text.empty() || (!isDigit(text.front()) && text.front() != m_notation.decimalMark)) {
        // Neither NaN nor infinity has digits.
        m_buffer.append(text);
        return !text.empty() && text.front() != '.' && text.front() != ',';
    }
    std::size_t at = digitsAt(text, 0);
    m_buffer.append(text.substr(0, at));
    m_sizes.assign(1, at);
    // "0,123" has no groups: nobody writes a leading zero before thousands.
    const bool mayHaveGroups = at > 0 && text.front() != '0';
    while (at < text.size()) {
        const std::size_t mark = groupMarkAt(text.substr(at), m_notation.groupMark);
        if (mark == 0) {
            break;
        }
        const std::size_t digits = digitsAt(text, at + mark);
        m_buffer.append(text.substr(at + mark, digits));
        m_sizes.push_back(digits);
        at += mark + digits;
    }
    if (m_sizes.size() > 1 && !(mayHaveGroups && areGroups(m_sizes))) {
        return false;
    }
    if (at < text.size() && text[at] == m_notation.decimalMark) {
        m_buffer.push_back('.');
        ++at;
    }
    const std::string_view rest = text.substr(at); // the parsers check fraction and exponent
    m_buffer.append(rest);
    // A point that is left would be read as a decimal mark, though the notation's is another.
    return rest.find('.') == std::string_view::npos;
}

} // namespace cannery::storage
