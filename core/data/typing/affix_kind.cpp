// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/affix_kind.h"

#include "core/base/folded_case.h"
#include "storage/tabular/number_notation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace cannery::data {

namespace {

constexpr auto kPercents = std::to_array<std::string_view>(
    {"%", "\u2030", "pct", "pct.", "percent", "per cent", "\u066A"});
constexpr auto kCurrencies = std::to_array<std::string_view>({"$",       "\u20AC",
                                                              "\u00A3",  "\u00A5",
                                                              "\u20B9",  "\u20BD",
                                                              "\u20A9",  "\u20BA",
                                                              "\u20AB",  "\u20B4",
                                                              "\u20A6",  "\u20B1",
                                                              "\u0E3F",  "\u20AA",
                                                              "\u20B8",  "\u20BF",
                                                              "us$",     "a$",
                                                              "c$",      "nz$",
                                                              "hk$",     "s$",
                                                              "r$",      "rs",
                                                              "rs.",     "kr",
                                                              "kr.",     "fr",
                                                              "fr.",     "z\u0142",
                                                              "k\u010D", "ft",
                                                              "lei",     "\u0440\u0443\u0431.",
                                                              "\u0440.", "usd",
                                                              "eur",     "gbp",
                                                              "jpy",     "cny",
                                                              "inr",     "chf",
                                                              "cad",     "aud",
                                                              "nzd",     "sek",
                                                              "nok",     "dkk",
                                                              "pln",     "czk",
                                                              "huf",     "ron",
                                                              "bgn",     "rub",
                                                              "try",     "brl",
                                                              "mxn",     "zar",
                                                              "krw",     "sgd",
                                                              "hkd",     "thb",
                                                              "idr",     "myr",
                                                              "php",     "vnd",
                                                              "ils",     "aed",
                                                              "sar",     "clp",
                                                              "cop",     "ars",
                                                              "uah",     "egp",
                                                              "ngn",     "kes",
                                                              "twd"});
constexpr auto kMarksBefore = std::to_array<std::string_view>(
    {"<", ">", "<=", ">=", "\u2264", "\u2265", "~", "\u2248", "\u00B1", "*", "**", "\u2020",
     "\u2021", "\u00A7", "^", "ca.", "ca", "c."});
constexpr auto kMarksBehind = std::to_array<std::string_view>(
    {"*",      "**",     "***",    "\u2020", "\u2021", "\u00A7", "\u00B6", "^",
     "+",      "++",     "?",      "!",      "~",      "#",      "<",      ">",
     "\u00B9", "\u00B2", "\u00B3", "\u1D43", "\u1D47", "\u1D9C", "(!)",    "(?)"});
/// Behind a number, these make it a time, a rank, or a year.
constexpr auto kNoUnits = std::to_array<std::string_view>(
    {"am", "pm", "a.m.", "p.m.", "uhr", "st", "nd", "rd", "th", "ad", "bc", "ce", "bce"});
/// Besides those of storage::magnitudeOf().
constexpr auto kMultiples =
    std::to_array<std::string_view>({"g", "mm", "mio.", "mrd.", "tsd", "tsd.", "mil", "thousand",
                                     "million", "billion", "lakh", "cr"});
constexpr auto kMissing = std::to_array<std::string_view>({"na",
                                                           "n/a",
                                                           "n.a.",
                                                           "n.a",
                                                           "n. a.",
                                                           "<na>",
                                                           "#n/a",
                                                           "#na",
                                                           "nan",
                                                           "null",
                                                           "<null>",
                                                           "(null)",
                                                           "[null]",
                                                           "none",
                                                           "nil",
                                                           "missing",
                                                           "unknown",
                                                           "unk",
                                                           "?",
                                                           "??",
                                                           "???",
                                                           "-",
                                                           "--",
                                                           "---",
                                                           "\u2013",
                                                           "\u2014",
                                                           ".",
                                                           "..",
                                                           "...",
                                                           "\u2026",
                                                           "*",
                                                           "#value!",
                                                           "#div/0!",
                                                           "#ref!",
                                                           "#num!",
                                                           "#null!",
                                                           "#name?",
                                                           "not available",
                                                           "not applicable",
                                                           "not reported",
                                                           "not known",
                                                           "no data",
                                                           "n.d.",
                                                           "0000-00-00",
                                                           "0000-00-00 00:00:00",
                                                           "n/d",
                                                           "nd",
                                                           "k.a.",
                                                           "k. a.",
                                                           "keine angabe",
                                                           "s/d",
                                                           ":",
                                                           "undefined",
                                                           "unspecified",
                                                           "tbd",
                                                           "tba",
                                                           "empty",
                                                           "blank"});
constexpr std::size_t kLongestQualityMark = 3;

template <typename Texts>
bool isIn(const Texts& texts, const std::string& text)
{
    // Case does not matter: the lists have small letters.
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool isEnclosed(std::string_view text, char open, char close)
{
    return text.size() > 2 && text.front() == open && text.back() == close;
}

/// "kg", "mg/dl", "m²", "°C", "years".
bool isUnit(std::string_view text)
{
    constexpr std::string_view kWithin = "/.^ '\"";
    bool hasLetter = false;
    for (const char character : text) {
        // Letters beyond ASCII are units such as "µm".
        const auto code = static_cast<unsigned char>(character);
        const bool isLetter = code >= 0x80U || std::isalpha(code) != 0;
        if (!isLetter && kWithin.find(character) == std::string_view::npos) {
            return false;
        }
        hasLetter = hasLetter || isLetter;
    }
    // Feet and inches are written with marks alone.
    return hasLetter || text == "'" || text == "\"";
}

} // namespace

AffixKind affixKind(std::string_view affix, bool isBefore)
{
    const std::string lower = foldedCase(affix);
    // Percentages first: some signs stand for more than one kind.
    if (isIn(kPercents, lower)) {
        return AffixKind::Percent;
    }
    if (isIn(kCurrencies, lower)) {
        return AffixKind::Currency;
    }
    if (isBefore) {
        // In front of a number there is no unit.
        return isIn(kMarksBefore, lower) ? AffixKind::Mark : AffixKind::Other;
    }
    if (isIn(kMarksBehind, lower) || isEnclosed(lower, '[', ']') || isEnclosed(lower, '(', ')')) {
        return AffixKind::Mark;
    }
    // Letters that make a number something else are not a unit.
    return isUnit(lower) && !isIn(kNoUnits, lower) ? AffixKind::Unit : AffixKind::Other;
}

bool maybeQualityMark(std::string_view unit)
{
    // A short unit may mark the quality of a measurement, unless it multiplies.
    return unit.size() <= kLongestQualityMark && storage::magnitudeOf(unit) == 0 &&
           !isIn(kMultiples, foldedCase(unit));
}

bool meansMissing(std::string_view text)
{
    return text.empty() || isIn(kMissing, foldedCase(text));
}

} // namespace cannery::data
