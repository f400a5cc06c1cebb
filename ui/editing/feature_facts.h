// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QSet>
#include <QString>
#include <QStringList>

namespace cannery::ui {

struct FieldNode;

/// Which side of a model uses a feature column.
enum class FeatureSide
{
    Source, ///< only other feature columns use it
    Wide,
    Deep,
    Both,
    Unused,
};

/// One transformation on the way from raw columns to the model.
struct FeatureStep
{
    QString word;   ///< "vocabulary"
    QString detail; ///< "male, female"

    bool operator==(const FeatureStep&) const = default;
};

/// One feature column as the Features page shows it.
struct FeatureFacts
{
    QString name; ///< our handle
    QString kind; ///< "bucketized_column"
    QString kindLabel;
    QString help;
    QStringList sources; ///< raw columns, in order; two or more for a cross
    QList<FeatureStep> steps;
    bool isCross = false;
    qint64 width = -1;      ///< numbers or ids; -1: only known once the data is read
    qint64 parameters = -1; ///< -1: none of its own
    FeatureSide side = FeatureSide::Unused;
    QString path; ///< its field in the experiment
};

/// The feature columns of an experiment.
struct FeatureColumns
{
    QList<FeatureFacts> columns; ///< regardless of the model: every side is Unused
    QSet<QString> referenced;    ///< names that other columns use
};

/// From the "feature_column" field of an experiment.
FeatureColumns readFeatureColumns(const FieldNode& columns);

} // namespace cannery::ui
