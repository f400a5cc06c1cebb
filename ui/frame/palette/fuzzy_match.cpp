// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/palette/fuzzy_match.h"

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kLetter = 1;
constexpr int kNeighbour = 6;
constexpr int kWordStart = 8;
constexpr int kTextStart = 12;
constexpr int kGap = 1;
constexpr int kMostGap = 12;

bool startsWord(const QString& text, qsizetype i)
{
    if (i == 0) {
        return true;
    }
    const QChar before = text[i - 1];
    return !before.isLetterOrNumber() || (before.isLower() && text[i].isUpper());
}

/// The match whose first letter is at `first`, greedy from there; prefers later letters at word
/// starts if `prefersStarts`.
std::optional<FuzzyMatch> matchFrom(const QString& pattern, const QString& text, qsizetype first,
                                    bool prefersStarts)
{
    FuzzyMatch match;
    qsizetype at = first;
    qsizetype last = -1;
    for (const QChar letter : pattern) {
        if (letter.isSpace()) {
            continue;
        }
        qsizetype found = -1;
        for (qsizetype i = at; i < text.size(); ++i) {
            if (text[i].toLower() != letter) {
                continue;
            }
            if (found < 0) {
                found = i;
            }
            // A letter beside the last one, or at a word's start, is what somebody meant by it.
            if (!prefersStarts || i == last + 1 || startsWord(text, i)) {
                found = i;
                break;
            }
            if (last < 0) {
                break;
            }
        }
        if (found < 0) {
            return {};
        }
        match.score += kLetter;
        if (last >= 0 && found == last + 1) {
            match.score += kNeighbour;
        } else if (last >= 0) {
            match.score -= std::min(kMostGap, kGap * static_cast<int>(found - last - 1));
        }
        if (startsWord(text, found)) {
            match.score += found == 0 ? kTextStart : kWordStart;
        }
        match.positions.append(static_cast<int>(found));
        last = found;
        at = found + 1;
    }
    return match;
}

} // namespace

std::optional<FuzzyMatch> fuzzyMatch(const QString& pattern, const QString& text)
{
    const auto firstLetter = std::find_if(pattern.begin(), pattern.end(),
                                          [](QChar letter) { return !letter.isSpace(); });
    if (firstLetter == pattern.end()) {
        return FuzzyMatch{};
    }
    std::optional<FuzzyMatch> best;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i].toLower() != *firstLetter) {
            continue;
        }
        auto match = matchFrom(pattern, text, i, true);
        // Some texts match only by their first letters.
        if (!match) {
            match = matchFrom(pattern, text, i, false);
        }
        if (match && (!best || match->score > best->score)) {
            best = match;
        }
    }
    if (best) {
        // Of equally good matches, the shorter text first.
        best->score -= static_cast<int>(std::min<qsizetype>(text.size(), 60) / 12);
    }
    return best;
}

} // namespace cannery::ui
