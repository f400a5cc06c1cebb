// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace cannery::ui {

/// How well letters match a text, in order: "chn" in "Checkpoint Now". Word starts and adjacent
/// letters score higher; case is ignored.
struct FuzzyMatch
{
    int score = 0;        ///< higher is better
    QList<int> positions; ///< of the matched letters
};

/// Empty if not all letters of the pattern occur in the text. An empty pattern matches everything.
/// The pattern must be in lower case; spaces in it are skipped.
std::optional<FuzzyMatch> fuzzyMatch(const QString& pattern, const QString& text);

} // namespace cannery::ui
