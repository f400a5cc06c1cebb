// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QChar>
#include <QString>
#include <QStringList>

namespace cannery::ui {

/// A line with one value too many: which two neighbours are most likely one.
struct LikelyJoin
{
    int column = -1;      ///< 0-based, of the first of the two; -1: none fits
    bool isClear = false; ///< no other two fit as well
};

/// `neighbours`: lines with the right number of values; the header is not among them. Numbers stay
/// where the neighbours have numbers, known words where they have them, and a space after the
/// delimiter speaks for prose.
LikelyJoin likelyJoin(const QString& line, const QStringList& neighbours, QChar delimiter);

/// The positions in the line of the value at `column` and the next one, with their quotes.
struct JoinSpan
{
    qsizetype begin = 0;
    qsizetype middle = 0; ///< the delimiter between them
    qsizetype end = 0;
};
JoinSpan joinSpan(const QString& line, QChar delimiter, int column);

} // namespace cannery::ui
