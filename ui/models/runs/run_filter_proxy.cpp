// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/run_filter_proxy.h"

#include "ui/models/natural_order.h"
#include "ui/models/runs/run_table_model.h"

namespace cannery::ui {

RunFilterProxy::RunFilterProxy(RunTableModel& model, QObject* parent)
    : QSortFilterProxyModel(parent), m_model(&model)
{
    setSourceModel(&model);
    setSortRole(RunTableModel::SortRole);
    setDynamicSortFilter(true);
}

void RunFilterProxy::setFilter(const RunFilter& filter)
{
    if (filter.error()) {
        return;
    }
    m_filter = filter;
    invalidateRowsFilter();
}

void RunFilterProxy::setShowsTrash(bool shows)
{
    if (shows != m_showsTrash) {
        m_showsTrash = shows;
        invalidateRowsFilter();
    }
}

int RunFilterProxy::hiddenCount() const
{
    int hidden = 0;
    for (const RunRow& run : m_model->snapshot()->runs) {
        hidden += !run.trashed && !m_filter.matches(run) ? 1 : 0;
    }
    return hidden;
}

int RunFilterProxy::trashedCount() const
{
    int trashed = 0;
    for (const RunRow& run : m_model->snapshot()->runs) {
        trashed += run.trashed ? 1 : 0;
    }
    return trashed;
}

QString RunFilterProxy::runAt(int proxyRow) const
{
    return index(proxyRow, 0).data(RunTableModel::RunRole).toString();
}

QModelIndex RunFilterProxy::indexOf(const QString& run, int column) const
{
    const int row = m_model->rowOf(run);
    return row < 0 ? QModelIndex() : mapFromSource(m_model->index(row, column));
}

bool RunFilterProxy::filterAcceptsRow(int sourceRow, const QModelIndex&) const
{
    const RunRow* run = m_model->row(sourceRow);
    return run && run->trashed == m_showsTrash && m_filter.matches(*run);
}

bool RunFilterProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const QVariant a = left.data(RunTableModel::SortRole);
    const QVariant b = right.data(RunTableModel::SortRole);
    if (a.isValid() != b.isValid()) {
        // Without a value: last, in either sort order.
        return sortOrder() == Qt::AscendingOrder ? a.isValid() : b.isValid();
    }
    if (a.userType() == QMetaType::QString || b.userType() == QMetaType::QString) {
        return naturalCompare(a.toString(), b.toString()) < 0;
    }
    return a.toDouble() < b.toDouble();
}

} // namespace cannery::ui
