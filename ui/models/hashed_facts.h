// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>

class QJsonObject;

namespace cannery::ui {

/// A value of a hashed column, or a combination of a cross, that training rows have.
struct HashedValueFacts
{
    QStringList values; ///< one per input; a null text is a missing or unknown value
    qint64 count = 0;
    qint64 bucket = 0;
    bool isShared = false; ///< another value that occurs is in the same bucket
    QList<double> label;   ///< one per target; NaN if unknown
};

/// What `cannery preview` reports about a hashed or crossed feature column.
struct HashedFacts
{
    QString column;
    QStringList inputs;
    qint64 buckets = 0;
    qint64 occurrences = 0;
    qint64 distinct = 0;
    bool isExact = true; ///< false: at least `distinct`
    qint64 bucketsUsed = 0;
    qint64 shared = 0; ///< of `distinct`
    qint64 sharedOccurrences = 0;
    QList<HashedValueFacts> values; ///< the most frequent ones
    QString problem;                ///< a sentence: why nothing is known; usually empty

    QString labelName;
    QStringList targets;    ///< classes whose shares are reported, or one empty text
    bool areShares = false; ///< otherwise means of the label

    /// The share of the values that share a bucket with another one, 0 to 1.
    double sharing() const { return distinct > 0 ? double(shared) / double(distinct) : 0; }
};

/// From the JSON of `cannery preview FILE --json`, by the columns' names.
QHash<QString, HashedFacts> hashedFactsFromJson(const QJsonObject& preview);

} // namespace cannery::ui
