// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>

#include <optional>

class QJsonObject;

namespace cannery::ui {

/// What the model reads for each row, under one name.
struct EncodedInputFacts
{
    QString name;   ///< TensorFlow's
    QString column; ///< the feature column
    bool areIds = false;
    qint64 width = -1; ///< of numbers, or how many ids there are; -1: unknown
    bool areSteps = false;
};

/// One value of an input: an id, a number, or the numbers of a step.
struct EncodedValueFacts
{
    double number = 0;            ///< ids, too
    std::optional<double> weight; ///< of an id
    QList<double> step;           ///< of a sequence; otherwise empty
};

/// The values of one input in a row, or of its label or weight.
struct EncodedCellFacts
{
    QString name;
    QList<EncodedValueFacts> values;
};

/// A feature column that cannot be made.
struct ColumnProblemFacts
{
    QString column;
    QString path;    ///< of the field that is wrong
    QString problem; ///< a sentence
};

// From the JSON of `cannery preview FILE --json`; the row is one of its "rows".
QList<EncodedInputFacts> encodedInputsFromJson(const QJsonObject& preview);
QList<ColumnProblemFacts> columnProblemsFromJson(const QJsonObject& preview);
/// By name.
QList<EncodedCellFacts> encodedRowFromJson(const QJsonObject& row);

} // namespace cannery::ui
