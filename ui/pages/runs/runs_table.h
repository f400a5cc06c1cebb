// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_filter_proxy.h"
#include "ui/models/runs/run_table_model.h"
#include "ui/widgets/table_view.h"

namespace cannery::ui {

class RunsDelegate;

/// The run table: two-line rows, stable column widths, clickable marks, hover tracking. Enter opens
/// a run.
class RunsTable : public TableView
{
    Q_OBJECT

public:
    RunsTable(RunTableModel& model, RunFilterProxy& proxy, QWidget* parent = nullptr);

    /// The runs of the selected rows, top to bottom.
    QStringList selectedRuns() const;
    /// The current row's run; empty without one.
    QString currentRun() const;
    void selectRun(const QString& run);
    /// Selects these and no others; the current row stays.
    void selectRuns(const QStringList& runs);
    void editCurrentName();

Q_SIGNALS:
    void selectionMoved();
    void runHovered(const QString& run);
    void openRequested(const QString& run);
    void colourChosen(const QString& run, int slot);
    void menuRequested(const QPoint& globalPosition);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void selectionChanged(const QItemSelection& selected,
                          const QItemSelection& deselected) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    void fitColumns();
    int widthOf(const RunColumn& column) const;
    void hoverRow(int row);
    bool isFixed(const QString& run, const QPoint& globalPosition);
    void offerColours(const QString& run, const QPoint& globalPosition);

    RunTableModel* m_model;
    RunFilterProxy* m_proxy;
    RunsDelegate* m_delegate;
    int m_hoveredRow = -1;
};

} // namespace cannery::ui
