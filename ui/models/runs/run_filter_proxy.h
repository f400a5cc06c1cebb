// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_filter.h"

#include <QSortFilterProxyModel>

namespace cannery::ui {

class RunTableModel;

/// The runs that match a filter, in the trash or outside it, sorted by a column. Runs without a
/// value come last in either order. GUI thread.
class RunFilterProxy : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    explicit RunFilterProxy(RunTableModel& model, QObject* parent = nullptr);

    /// A filter with an error changes nothing.
    void setFilter(const RunFilter& filter);
    const RunFilter& filter() const { return m_filter; }
    void setShowsTrash(bool shows);
    bool showsTrash() const { return m_showsTrash; }

    /// Runs outside the trash that the filter hides, and those in the trash.
    int hiddenCount() const;
    int trashedCount() const;
    QString runAt(int proxyRow) const;
    QModelIndex indexOf(const QString& run, int column = 0) const;

protected:
    bool filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    RunTableModel* m_model;
    RunFilter m_filter;
    bool m_showsTrash = false;
};

} // namespace cannery::ui
