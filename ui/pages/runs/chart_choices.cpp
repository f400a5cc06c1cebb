// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/chart_choices.h"

#include <QJsonArray>
#include <QJsonObject>

namespace cannery::ui {
namespace {

QStringList textsIn(const QJsonValue& array)
{
    QStringList list;
    for (const QJsonValue& value : array.toArray()) {
        list.append(value.toString());
    }
    return list;
}

} // namespace

ChartOptions ChartChoices::optionsOf(const QString& tag) const
{
    ChartOptions options = m_shared;
    if (const auto own = m_own.find(tag); own != m_own.end()) {
        options.logY = own->logY;
        options.ignoreOutliers = own->ignoreOutliers;
        options.yLimits = own->yLimits;
    }
    return options;
}

void ChartChoices::takeFrom(const QString& tag, const ChartOptions& options)
{
    m_own.insert(tag, options);
    m_shared.xAxis = options.xAxis;
    m_shared.logX = options.logX;
    m_shared.smoothing = options.smoothing;
    m_shared.showOverwritten = options.showOverwritten;
}

void ChartChoices::toggle(bool ChartOptions::*option)
{
    m_shared.*option = !(m_shared.*option);
    for (ChartOptions& own : m_own) {
        own.*option = m_shared.*option;
    }
}

void ChartChoices::resetY()
{
    for (ChartOptions& own : m_own) {
        own.yLimits.reset();
    }
}

void ChartChoices::overlay(const QString& tag, const QString& added)
{
    m_overlays[tag].append(added);
}

void ChartChoices::setPinned(const QString& tag, bool pinned)
{
    m_hasPinned = true;
    m_pinned.removeAll(tag);
    if (pinned) {
        m_pinned.append(tag);
    }
}

void ChartChoices::proposePinned(const QStringList& tags)
{
    if (!m_hasPinned) {
        m_pinned = tags;
    }
}

void ChartChoices::save(QJsonObject& state) const
{
    state.insert("options", toJson(m_shared));
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
    // Without it, a metric that a later run logs is pinned by itself.
    if (m_hasPinned) {
        state.insert("pinned", QJsonArray::fromStringList(m_pinned));
    }
}

void ChartChoices::restore(const QJsonObject& state)
{
    m_shared = chartOptionsFromJson(state.value("options").toObject());
    m_own.clear();
    const QJsonObject own = state.value("own").toObject();
    for (auto it = own.begin(); it != own.end(); ++it) {
        m_own.insert(it.key(), chartOptionsFromJson(it.value().toObject()));
    }
    m_overlays.clear();
    const QJsonObject overlays = state.value("overlays").toObject();
    for (auto it = overlays.begin(); it != overlays.end(); ++it) {
        m_overlays.insert(it.key(), textsIn(it.value()));
    }
    m_hasPinned = state.contains("pinned");
    m_pinned = textsIn(state.value("pinned"));
}

} // namespace cannery::ui
