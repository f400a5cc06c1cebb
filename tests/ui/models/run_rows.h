// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <limits>

namespace cannery::tests {

using ui::MetricSummary;
using ui::ProjectSnapshot;
using ui::ProjectSnapshotPtr;
using ui::RunRow;

inline MetricSummary metric(const QString& name, double last, double atBest)
{
    return {.name = name,
            .last = last,
            .min = std::min(last, atBest),
            .max = std::max(last, atBest),
            .atBest = atBest,
            .lastStep = 1000,
            .minStep = 500,
            .maxStep = 500};
}

/// A finished run with a score, a loss and a few parameters.
inline RunRow runOf(const QString& name, double auc, const QString& rate,
                    const QStringList& tags = {})
{
    RunRow row;
    row.name = name;
    row.experimentName = "Titanic";
    row.estimator = "dnn_classifier";
    row.state = ui::RunState::Finished;
    row.createdAt = QDateTime::fromSecsSinceEpoch(1'700'000'000);
    row.startedAt = row.createdAt;
    row.finishedAt = row.createdAt.addSecs(22);
    row.tags = tags;
    row.decisionMetric = "auc";
    row.bestStep = 500;
    row.metrics = {metric("auc", auc - 0.01, auc), metric("loss", 0.5, 0.45)};
    row.parameters = {{"name", "\"Titanic\""},
                      {"data.train.csv.files", "[\"titanic_train.csv\"]"},
                      {"estimator.dnn_classifier.optimizer.adagrad.learning_rate", rate},
                      {"estimator.dnn_classifier.hidden_units", "[64, 32]"},
                      {"train_spec.input.batch_size", "32"},
                      {"eval_spec.input.batch_size", "256"}};
    return row;
}

inline ProjectSnapshotPtr snapshotOf(const QList<RunRow>& runs)
{
    auto snapshot = std::make_shared<ProjectSnapshot>();
    snapshot->runs = runs;
    return snapshot;
}

} // namespace cannery::tests
