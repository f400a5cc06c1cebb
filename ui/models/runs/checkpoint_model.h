// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"
#include "ui/models/tables/table_model.h"

namespace cannery::ui {

/// The checkpoints of one run on disk, newest first, with the metrics of their evaluations. GUI
/// thread.
class CheckpointModel : public TableModel
{
    Q_OBJECT

public:
    enum Role
    {
        StepRole = Qt::UserRole,
        BestRole,
    };

    explicit CheckpointModel(QObject* parent = nullptr);

    void setRun(const RunRow& run);
    const CheckpointRow* checkpoint(int row) const;

protected:
    qsizetype countRows() const override { return m_rows.size(); }
    qsizetype countColumns() const override { return FirstMetric + m_metrics.size() + TailCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override;

private:
    enum Fixed
    {
        Mark,
        Step,
        FirstMetric,
    };
    enum Tail
    {
        Size,
        Saved,
        KeptBecause,
        TailCount,
    };
    QVariant text(const CheckpointRow& row, int column) const;
    int savedColumn() const;

    QList<CheckpointRow> m_rows;
    QStringList m_metrics;
};

} // namespace cannery::ui
