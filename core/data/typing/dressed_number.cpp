// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/dressed_number.h"

#include "storage/tabular/number_notation.h"

#include <algorithm>
#include <span>

namespace cannery::data {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kMinus = "\u2212";
constexpr std::size_t kLongestAffix = 16;
constexpr std::size_t kMostRuns = 12;

bool isDigit(char character)
{
    return character >= '0' && character <= '9';
}

bool isLetter(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           static_cast<unsigned char>(character) >= 0x80U;
}

/// Runs of digits, and the marks between them: ".", ",", "'" or " ".
struct Core
{
    std::array<std::size_t, kMostRuns> runs{};
    std::array<char, kMostRuns> marks{};
    std::size_t count = 0; ///< of runs
    bool startsWithZero = false;
};

/// The mark at the beginning of the text; its length is 0 if there is none.
char markAt(std::string_view text, std::size_t& length)
{
    for (const std::string_view mark : {".", ",", "'", " "}) {
        length = storage::groupMarkAt(text, mark);
        if (length > 0) {
            return mark.front();
        }
    }
    return '\0';
}

/// The text in front of an exponent.
std::string_view withoutExponent(std::string_view text)
{
    const std::size_t letter = text.find_first_of("eE");
    // An "e" in front is the beginning of a word.
    if (letter == std::string_view::npos || letter == 0) {
        return text;
    }
    std::string_view power = text.substr(letter + 1);
    if (power.starts_with('+') || power.starts_with('-')) {
        power.remove_prefix(1);
    }
    const bool isPower = !power.empty() && std::all_of(power.begin(), power.end(), isDigit);
    return isPower ? text.substr(0, letter) : text;
}

std::optional<Core> coreOf(std::string_view text)
{
    Core core{.startsWithZero = text.front() == '0'};
    while (core.count < kMostRuns) {
        const auto* const end = std::find_if_not(text.begin(), text.end(), isDigit);
        core.runs[core.count++] = static_cast<std::size_t>(end - text.begin());
        text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
        if (text.empty()) {
            return core;
        }
        std::size_t length = 0;
        core.marks[core.count - 1] = markAt(text, length);
        // Something else than a mark stands between digits.
        if (length == 0) {
            return std::nullopt;
        }
        text.remove_prefix(length);
    }
    return std::nullopt;
}

/// Whether the first `count` runs are the groups of a whole number.
bool areGroups(const Core& core, std::size_t count, char mark)
{
    // A number with a zero in front is a code.
    return count > 1 && !core.startsWithZero &&
           std::all_of(core.marks.begin(), core.marks.begin() + count - 1,
                       [mark](char one) { return one == mark; }) &&
           storage::areGroups(std::span(core.runs).first(count));
}

bool fits(const Core& core, const NumberReading& reading)
{
    const bool hasFraction = core.count > 1 && core.marks[core.count - 2] == reading.decimalMark;
    const std::size_t whole = core.count - (hasFraction ? 1 : 0);
    // Without groups, the whole number may have any length.
    if (whole == 1) {
        return hasFraction || core.count == 1;
    }
    return !reading.groupMark.empty() && areGroups(core, whole, reading.groupMark.front());
}

/// Where the digits begin; a decimal mark in front of them is part of them, unlike that of "Rs.5".
std::size_t beginOf(std::string_view text)
{
    const std::size_t digit = text.find_first_of(kDigits);
    if (digit == std::string_view::npos || digit == 0) {
        return digit;
    }
    const bool isMark = text[digit - 1] == '.' || text[digit - 1] == ',';
    // "Rs.5" is an abbreviation with a point, and ".5" a fraction.
    return isMark && (digit == 1 || !isLetter(text[digit - 2])) ? digit - 1 : digit;
}

/// Takes a sign from either end; false if there is none.
bool takeSign(std::string_view& text)
{
    for (const std::string_view sign : {std::string_view("-"), std::string_view("+"), kMinus}) {
        if (text.starts_with(sign)) {
            text.remove_prefix(sign.size());
            return true;
        }
        if (text.ends_with(sign)) {
            text.remove_suffix(sign.size());
            return true;
        }
    }
    return false;
}

/// Takes the bracket that opens in front of the number and closes behind it.
bool takeBrackets(std::string& before, std::string& behind)
{
    const std::size_t open = before.find('(');
    const std::size_t close = behind.find(')');
    // Brackets within the text behind are a remark, not a sign.
    if (open == std::string::npos || close == std::string::npos ||
        behind.find('(') != std::string::npos) {
        return false;
    }
    before.erase(open, 1);
    behind.erase(close, 1);
    return true;
}

} // namespace

std::optional<DressedNumber> dressedNumber(std::string_view text)
{
    text = storage::withoutBlanks(text);
    // A text that is mostly words is not a number.
    const std::size_t begin = beginOf(text);
    if (begin == std::string_view::npos || begin > kLongestAffix) {
        return std::nullopt;
    }
    const std::size_t end = text.find_last_of(kDigits) + 1;
    if (text.size() - end > kLongestAffix) {
        return std::nullopt;
    }
    const std::optional<Core> core = coreOf(withoutExponent(text.substr(begin, end - begin)));
    if (!core) {
        return std::nullopt;
    }
    DressedNumber number{.before = std::string(text.substr(0, begin)),
                         .behind = std::string(text.substr(end))};
    for (std::size_t i = 0; i < kNumberReadings.size(); ++i) {
        number.readings |=
            static_cast<NumberReadings>((fits(*core, kNumberReadings[i]) ? 1 : 0) << i);
    }
    // The sign comes off before what is left is an affix.
    number.isBracketed = takeBrackets(number.before, number.behind);
    std::string_view before = storage::withoutBlanks(number.before);
    const bool isSigned = takeSign(before);
    // Two signs contradict each other.
    if (number.readings == 0 || (isSigned && number.isBracketed)) {
        return std::nullopt;
    }
    std::string_view behind = storage::withoutBlanks(number.behind);
    if (behind.starts_with('-') || behind.starts_with(kMinus)) {
        number.hasMinusBehind = true;
        behind.remove_prefix(behind.front() == '-' ? 1 : kMinus.size());
        if (number.isBracketed || isSigned) {
            return std::nullopt;
        }
    }
    number.before = std::string(storage::withoutBlanks(before));
    number.behind = std::string(storage::withoutBlanks(behind));
    // Marks and digits are counted over the whole column later.
    for (std::size_t i = 0; i < core->count; ++i) {
        const char mark = i + 1 < core->count ? core->marks[i] : '\0';
        number.digits += core->runs[i];
        number.points += mark == '.' ? 1 : 0;
        number.hasMark = number.hasMark || mark == '.' || mark == ',';
    }
    number.isGrouped = areGroups(*core, core->count, core->marks.front());
    return number;
}

} // namespace cannery::data
