// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/chart_grid.h"
#include "ui/charts/curves/chart_link.h"
#include "ui/pages/runs/runs_charts.h"
#include "ui/pages/runs/runs_toolbar.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/split_view.h"

#include <QJsonArray>

namespace cannery::ui {
namespace {

QStringList stringsOf(const QJsonArray& array)
{
    QStringList list;
    for (const QJsonValue& value : array) {
        list.append(value.toString());
    }
    return list;
}

} // namespace

QJsonObject RunsCharts::saveState() const
{
    QJsonObject state;
    state.insert("options", toJson(m_options));
    QJsonObject own;
    for (auto it = m_own.begin(); it != m_own.end(); ++it) {
        own.insert(it.key(), toJson(it.value()));
    }
    state.insert("own", own);
    QJsonObject overlays;
    for (auto it = m_overlays.begin(); it != m_overlays.end(); ++it) {
        overlays.insert(it.key(), QJsonArray::fromStringList(it.value()));
    }
    state.insert("overlays", overlays);
    if (m_hasPinned) {
        state.insert("pinned", QJsonArray::fromStringList(m_pinned));
    }
    state.insert("folded", QJsonArray::fromStringList(m_grid->foldedGroups()));
    state.insert("tag_filter", m_toolbar->tagField().text());
    state.insert("group", toJson(m_toolbar->group()));
    state.insert("columns", m_columns);
    if (const auto limits = m_link->xLimits()) {
        state.insert("x_limits", QJsonArray{limits->min, limits->max});
    }
    state.insert("readout", QString::fromLatin1(m_split->saveState().toBase64()));
    return state;
}

void RunsCharts::restoreState(const QJsonObject& state)
{
    m_options = chartOptionsFromJson(state.value("options").toObject());
    m_own.clear();
    const QJsonObject own = state.value("own").toObject();
    for (auto it = own.begin(); it != own.end(); ++it) {
        m_own.insert(it.key(), chartOptionsFromJson(it.value().toObject()));
    }
    m_overlays.clear();
    const QJsonObject overlays = state.value("overlays").toObject();
    for (auto it = overlays.begin(); it != overlays.end(); ++it) {
        m_overlays.insert(it.key(), stringsOf(it.value().toArray()));
    }
    m_hasPinned = state.contains("pinned");
    m_pinned = stringsOf(state.value("pinned").toArray());
    m_toolbar->setOptions(m_options);
    m_toolbar->tagField().setText(state.value("tag_filter").toString());
    m_toolbar->setGroup(groupFromJson(state.value("group").toObject()));
    m_curves->setGroup(m_toolbar->group());
    m_columns = state.value("columns").toInt();
    m_grid->setColumns(m_columns);
    m_link->setAxis(m_options.xAxis);
    const QJsonArray limits = state.value("x_limits").toArray();
    m_link->setXLimits(limits.size() == 2 ? std::optional(AxisLimits{limits.at(0).toDouble(),
                                                                     limits.at(1).toDouble()})
                                          : std::nullopt);
    refresh();
    // Only now, since refresh() makes the groups.
    for (const QString& group : stringsOf(state.value("folded").toArray())) {
        m_grid->setFolded(group, true);
    }
    m_split->restoreState(QByteArray::fromBase64(state.value("readout").toString().toLatin1()));
    m_grid->refill();
}

} // namespace cannery::ui
