// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/run_snapshot.h"

#include <QAbstractTableModel>

namespace cannery::ui {

/// The checkpoints of one run that are on disk, newest first, with what its evaluations said.
/// GUI thread.
class CheckpointModel : public QAbstractTableModel
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

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

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

    QList<CheckpointRow> m_rows;
    QStringList m_metrics;
};

} // namespace cannery::ui
