// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace cannery::ui {

/// How well letters stand in a text, in their order: "chn" in "Checkpoint Now". Starts of words and
/// neighbours count more; case does not count.
struct FuzzyMatch
{
    int score = 0;        ///< the greater the better
    QList<int> positions; ///< of the matched letters
};

/// Nothing when not all letters of the pattern stand in the text. An empty pattern matches all. The
/// pattern must be in lower case; spaces in it are skipped.
std::optional<FuzzyMatch> fuzzyMatch(const QString& pattern, const QString& text);

} // namespace cannery::ui
