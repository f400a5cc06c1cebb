// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/value_join.h"

#include "ui/models/tables/table_trouble.h"

#include <QList>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kNumberLost = -6;  ///< points for a text where all neighbours have numbers
constexpr int kNumberFound = -2; ///< for a number where all neighbours have texts
constexpr int kKnownWord = 2;
constexpr int kProse = 3;

bool isNumber(const QString& value)
{
    bool ok = false;
    value.trimmed().toDouble(&ok);
    return ok;
}

/// What the neighbours have in one column.
struct ColumnSeen
{
    QStringList values;
    bool hasNumbers = false;
    bool hasTexts = false;

    int pointsFor(const QString& value) const
    {
        if (value.isEmpty()) {
            return 0;
        }
        const bool isOne = isNumber(value);
        const int word = values.contains(value) ? kKnownWord : 0;
        return word + (hasNumbers && !hasTexts && !isOne  ? kNumberLost
                       : hasTexts && !hasNumbers && isOne ? kNumberFound
                                                          : 0);
    }
};

} // namespace

LikelyJoin likelyJoin(const QString& line, const QStringList& neighbours, QChar delimiter)
{
    const QStringList values = splitLine(line, delimiter);
    const qsizetype columns = values.size() - 1;
    QList<ColumnSeen> seen(std::max<qsizetype>(0, columns));
    for (const QString& neighbour : neighbours) {
        const QStringList others = splitLine(neighbour, delimiter);
        for (qsizetype i = 0; others.size() == columns && i < columns; ++i) {
            if (!others[i].isEmpty()) {
                (isNumber(others[i]) ? seen[i].hasNumbers : seen[i].hasTexts) = true;
                seen[i].values << others[i];
            }
        }
    }
    LikelyJoin best;
    int most = 0;
    for (qsizetype at = 0; at < columns; ++at) {
        // A blank after the delimiter is how prose is written: "Smith, John".
        int points =
            values[at + 1].startsWith(u' ') && !values[at + 1].trimmed().isEmpty() ? kProse : 0;
        for (qsizetype i = 0; i < columns; ++i) {
            points += i == at ? seen[i].pointsFor(values[i] + delimiter + values[i + 1])
                              : seen[i].pointsFor(values[i < at ? i : i + 1]);
        }
        if (best.column < 0 || points > most) {
            best = {.column = int(at), .isClear = true};
            most = points;
        } else if (points == most) {
            best.isClear = false;
        }
    }
    return best;
}

JoinSpan joinSpan(const QString& line, QChar delimiter, int column)
{
    QList<qsizetype> ends; // of the values before it, of both, and of the line
    bool isQuoted = false;
    for (qsizetype at = 0; at < line.size(); ++at) {
        isQuoted = isQuoted != (line[at] == u'"');
        if (line[at] == delimiter && !isQuoted) {
            ends << at;
        }
    }
    ends << line.size();
    return {.begin = column > 0 ? ends.value(column - 1, line.size()) + 1 : 0,
            .middle = ends.value(column, line.size()),
            .end = ends.value(column + 1, line.size())};
}

} // namespace cannery::ui
