#pragma once

#include "storage/runs/run_record.h"
#include "ui/models/run_snapshot.h"

namespace cannery::ui {

/// Which metric decides what "best" means for a run.
struct DecisionMetric
{
    QString name; ///< "auc"; empty when nothing was evaluated
    bool higherIsBetter = true;
};

/// What an early stopping hook or a best exporter watches, else auc, accuracy, average loss, loss:
/// the first that was evaluated. A best exporter's "loss" is TensorFlow's default and says nothing.
DecisionMetric decisionMetric(const QList<std::pair<QString, QString>>& parameters,
                              const QList<EvaluationRow>& evaluations);

/// The row of what the store knows. `folder` is the run's own, absolute.
RunRow runRow(const storage::RunDetails& details, const QString& folder);

/// Only what people said and where the run stands; cheap beside runRow().
void updateRow(RunRow& row, const storage::RunStatus& status);
void updateRow(RunRow& row, const storage::RunAnnotations& annotations);

} // namespace cannery::ui
