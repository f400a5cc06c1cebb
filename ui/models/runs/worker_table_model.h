// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/table_model.h"

#include <QList>
#include <QString>

#include <optional>

namespace cannery::ui {

/// A task of the cluster that trains a run, as its chief sees it. Seconds are of its last step.
struct WorkerRow
{
    QString task;  ///< "worker:1"
    QString state; ///< the engine's word: "running", "lost" …
    qint64 step = 0;
    std::optional<double> stepSeconds;    ///< in all
    std::optional<double> waitSeconds;    ///< of them, for other tasks
    std::optional<double> networkSeconds; ///< of them, for the network
    int restarts = 0;

    bool isLost() const;
    bool operator==(const WorkerRow&) const = default;
};

/// The tasks of a cluster while it trains, a row each. GUI thread.
class WorkerTableModel : public TableModel
{
    Q_OBJECT

public:
    enum Column
    {
        TaskColumn,
        StateColumn,
        StepColumn,
        StepTimeColumn,
        WaitColumn,
        NetworkColumn,
        RestartsColumn,
        ColumnCount,
    };

    using TableModel::TableModel;

    /// Selections stay while the tasks are the same.
    void setWorkers(const QList<WorkerRow>& workers);
    const QList<WorkerRow>& workers() const { return m_workers; }

    /// "2 of 3 tasks train; worker:1 is lost."
    QString summary() const;

protected:
    qsizetype countRows() const override { return m_workers.size(); }
    qsizetype countColumns() const override { return ColumnCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override { return column >= StepColumn; }

private:
    QString text(const WorkerRow& worker, int column) const;

    QList<WorkerRow> m_workers;
};

} // namespace cannery::ui
