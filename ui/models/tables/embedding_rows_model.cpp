// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/embedding_rows_model.h"

#include "ui/models/curves/tag_list_model.h"
#include "ui/models/formats.h"

#include <algorithm>

namespace cannery::ui {

void EmbeddingRowsModel::setPoints(const QList<ComponentPoint>& points)
{
    m_points = points;
    filter();
}

void EmbeddingRowsModel::setFilter(const QString& text)
{
    if (text != m_filter) {
        m_filter = text;
        filter();
    }
}

void EmbeddingRowsModel::filter()
{
    beginResetModel();
    const TagMatcher matcher(m_filter);
    m_shown.clear();
    for (qsizetype i = 0; i < m_points.size(); ++i) {
        if (matcher.isEmpty() || matcher.matches(m_points[i].text)) {
            m_shown += i;
        }
    }
    endResetModel();
}

qsizetype EmbeddingRowsModel::pointAt(int row) const
{
    return m_shown.value(row, -1);
}

int EmbeddingRowsModel::rowOf(qsizetype point) const
{
    const auto found = std::lower_bound(m_shown.begin(), m_shown.end(), point);
    return found != m_shown.end() && *found == point ? int(found - m_shown.begin()) : -1;
}

QVariant EmbeddingRowsModel::cell(int row, int column, int role) const
{
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
        return {};
    }
    const qsizetype id = m_shown[row];
    const ComponentPoint& point = m_points[id];
    switch (column) {
    case IdColumn:
        return formatCount(id);
    case TextColumn:
        return point.text;
    case FirstColumn:
        return formatNumber(point.x);
    default:
        return formatNumber(point.y);
    }
}

QVariant EmbeddingRowsModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
    case IdColumn:
        return tr("Row");
    case TextColumn:
        return tr("Stands for");
    case FirstColumn:
        return tr("Component %1").arg(formatCount(1));
    default:
        return tr("Component %1").arg(formatCount(2));
    }
}

} // namespace cannery::ui
