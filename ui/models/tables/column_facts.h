// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

class QJsonObject;

namespace cannery::ui {

/// How many rows of both parts of a table have a value.
struct ValueRows
{
    QString value;
    qint64 train = 0;
    qint64 evaluation = 0;

    qint64 rows() const { return train + evaluation; }
};

/// What `cannery preview` reports about one column of the training table.
struct ColumnFacts
{
    QString name;
    QString type;   ///< "number", "category", "text"
    QString dtype;  ///< "int64"; empty if unknown
    QString use;    ///< "label", "feature", "weight", "key", "ignored"
    QString reason; ///< why it was read like this; a sentence
    qint64 missing = 0;
    qint64 distinct = -1; ///< -1: unknown
    bool distinctIsExact = true;
    std::optional<double> minimum;
    std::optional<double> maximum;
    std::optional<double> mean;
    std::optional<double> median;
    std::optional<double> deviation;
    /// Of numbers: the smallest, the hundredths and the largest value, 101 in all; empty if
    /// unknown.
    QList<double> quantiles;
    /// Of numbers: how many values each of the equally wide bins from binsBegin to binsEnd has,
    /// also the empty ones.
    QList<double> bins;
    double binsBegin = 0;
    double binsEnd = 0;
    QStringList binLabels; ///< for categories; empty for numbers
    QList<double> binCounts;
    QList<ValueRows> values; ///< all of them, if they are few
    QStringList times;       ///< of times: the first, the hundredths and the last; ISO 8601

    bool isNumber() const { return type == QLatin1String("number"); }
};

/// The data of an experiment as the engine reads it. Values that an older engine does not report
/// are empty or -1.
struct DataFacts
{
    qint64 trainRows = -1;
    qint64 evalRows = -1;
    QList<ColumnFacts> columns;
    bool isSoFar = false;     ///< of the rows read until now
    QList<QStringList> texts; ///< the first rows, a cell for each column; a null cell is missing

    const ColumnFacts* find(const QString& column) const;
    /// Share of the training rows without this value, 0 to 1.
    double missingShare(const ColumnFacts& column) const;
    /// Whether the columns have the same names in the same order.
    bool hasColumnsOf(const DataFacts& other) const;
    bool isEmpty() const { return columns.isEmpty(); }
};

/// From the JSON of `cannery preview FILE --json`, or of `cannery new`.
DataFacts dataFactsFromJson(const QJsonObject& preview);
/// Only the columns' names, in the table's order.
QStringList columnNamesFromJson(const QJsonObject& preview);

} // namespace cannery::ui
