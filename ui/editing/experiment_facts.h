// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/feature_facts.h"

#include <QCoreApplication>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace cannery::ui {

struct FieldNode;

struct ExperimentFacts
{
    Q_DECLARE_TR_FUNCTIONS(ExperimentFacts)

public:
    QStringList trainFiles;
    QStringList evalFiles;
    /// The folder that the paths of pictures are below, if a folder of pictures is what is read.
    QString trainPictures;
    QString evalPictures;
    QString label; ///< the column, or several joined
    QString weightColumn;
    QStringList keyColumns;
    QList<FeatureFacts> features;

    QString estimator;      ///< "dnn_linear_combined_classifier"; empty if there is none
    QString estimatorTitle; ///< "Wide and deep classifier"
    QString className;      ///< "DNNLinearCombinedClassifier"
    QString estimatorHelp;
    QString head;              ///< "Binary class"
    QList<qint64> hiddenUnits; ///< of a recurrent network: those of its layers
    QString activation;
    QString cell; ///< "lstm"; empty if not a recurrent network
    double dropout = 0;
    std::optional<qint64> trees;   ///< of boosted trees
    qint64 leaves = 0;             ///< at most so many in a tree; 0: practically unlimited
    std::optional<qint64> centers; ///< of clusters
    QString strategy;              ///< "One device"
    qint64 maxSteps = 0;           ///< 0: no limit
    qint64 batchSize = 0;
    /// "Wide and deep classifier · 64-32 · lr 0.05"
    QString recipe;

    bool hasModel() const { return !estimator.isEmpty(); }
    /// Whether a half of the model takes columns.
    bool has(FeatureSide side) const;
    qint64 width(FeatureSide side) const; ///< sum over the columns of a side
    /// "predicts survived", "finds 3 clusters"; empty if neither is known.
    QString aim() const;
    /// "4 inputs"; of a model with two halves "wide 120 · deep 4".
    QString inputs() const;
    int crossCount() const;

    static ExperimentFacts of(const FieldNode& root);
};

} // namespace cannery::ui
