// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_columns.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/models/tables/table_model.h"

#include <QHash>
#include <QSet>

namespace cannery::ui {

/// The runs of a project as a table, which is also the legend of the charts. Rows follow the
/// snapshots with minimal changes; edits are requested by signals and come back with the next
/// snapshot. GUI thread.
class RunTableModel : public TableModel
{
    Q_OBJECT

public:
    enum Role
    {
        RunRole = Qt::UserRole, ///< the name of the run's folder; the identity
        KindRole,               ///< int(RunColumn::Kind)
        SortRole,               ///< number or text; invalid when the run has no value
        SubtitleRole,
        StateRole, ///< int(RunState)
        SlotRole,
        ShownRole,
        StarRole,
        DeltaRole, ///< "−0.0023" difference to the baseline; empty without one
        BestRole,  ///< true if no run has a better value
        ErrorRole, ///< why the run cannot be read
        BaselineRole,
        MetricRole, ///< of a header: the metric by its name in a run
        FieldRole,  ///< of a header: the path of a field of the experiment
    };

    explicit RunTableModel(QObject* parent = nullptr);

    void setSnapshot(const ProjectSnapshotPtr& snapshot);
    const ProjectSnapshotPtr& snapshot() const { return m_snapshot; }
    const RunRow* row(int row) const;
    int rowOf(const QString& run) const;

    void setColumns(const QList<RunColumn>& columns);
    const QList<RunColumn>& columns() const { return m_columns; }
    int columnOf(RunColumn::Kind kind) const;

    /// The runs whose curves are drawn. New runs are shown; when a project is opened for the first
    /// time, the newest kShownAtFirst are.
    bool isShown(const QString& run) const { return m_shown.contains(run); }
    void setShown(const QStringList& runs, bool shown);
    QStringList shownRuns() const; ///< in the order of the snapshot
    static constexpr int kShownAtFirst = 10;
    /// Restores the toggles; call before the first snapshot.
    void restoreShown(const QStringList& shown, const QStringList& known);
    QStringList knownRuns() const;

    /// Metrics show their difference to this run, or their values if it is empty.
    void setBaseline(const QString& run);
    const QString& baseline() const { return m_baseline; }

    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;

    static constexpr const char* kMimeType = "application/x-cannery-runs";

Q_SIGNALS:
    void shownChanged();
    void columnsChanged();
    void renameRequested(const QString& run, const QString& title);
    void starRequested(const QString& run, bool star);

protected:
    qsizetype countRows() const override { return m_snapshot->runs.size(); }
    qsizetype countColumns() const override { return m_columns.size(); }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override;

private:
    void adoptNewRuns(const ProjectSnapshot& snapshot);
    void moveRowsTo(const ProjectSnapshotPtr& snapshot);
    void announceChanges(const ProjectSnapshot& before);
    void findBest();
    QString deltaText(const RunRow& run, const RunColumn& column) const;
    QVariant displayData(const RunRow& run, const RunColumn& column) const;
    QVariant sortData(const RunRow& run, const RunColumn& column) const;
    QVariant toolTip(const RunRow& run, const RunColumn& column) const;
    QString accessibleText(const RunRow& run, const RunColumn& column) const;

    ProjectSnapshotPtr m_snapshot;
    QList<RunColumn> m_columns;
    QList<double> m_best; ///< by column; NaN if there is none
    QSet<QString> m_shown;
    QSet<QString> m_known;
    bool m_hasKnown = false;
    QString m_baseline;
};

} // namespace cannery::ui
