// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/chart_grid.h"
#include "ui/charts/curves/chart_cursor.h"
#include "ui/charts/curves/chart_link.h"
#include "ui/pages/runs/runs_charts.h"
#include "ui/pages/runs/runs_toolbar.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/split_view.h"

#include <QApplication>
#include <QJsonArray>

namespace cannery::ui {

namespace {

/// The option that a command turns on or off; null for other commands.
bool ChartOptions::*optionOf(ChartCommand command)
{
    switch (command) {
    case ChartCommand::LogX:
        return &ChartOptions::logX;
    case ChartCommand::LogY:
        return &ChartOptions::logY;
    case ChartCommand::Outliers:
        return &ChartOptions::ignoreOutliers;
    case ChartCommand::ShowOverwritten:
        return &ChartOptions::showOverwritten;
    default:
        return nullptr;
    }
}

} // namespace

void RunsCharts::takeOptionsOf(const ChartCard& card)
{
    m_choices.takeFrom(card.tag(), card.options());
    m_toolbar->setOptions(m_choices.shared());
    applyOptions();
}

void RunsCharts::applyOptions()
{
    m_link->setAxis(m_choices.shared().xAxis);
    for (ChartCard* card : m_grid->cards()) {
        ChartOptions options = m_choices.optionsOf(card->tag());
        // The link shares the limits of x among the cards, not the options.
        options.xLimits = card->options().xLimits;
        if (options != card->options()) {
            card->setOptions(options);
        }
    }
    m_toolbar->setFollows(follows());
    refreshReadout();
    Q_EMIT optionsChanged();
    Q_EMIT stateChanged();
}

ChartCard* RunsCharts::activeCard() const
{
    for (QWidget* widget = QApplication::focusWidget(); widget; widget = widget->parentWidget()) {
        auto* card = qobject_cast<ChartCard*>(widget);
        if (card && isAncestorOf(card)) {
            return card;
        }
    }
    if (ChartCard* card = m_grid->card(m_activeTag)) {
        return card;
    }
    return m_grid->cards().isEmpty() ? nullptr : m_grid->cards().front();
}

void RunsCharts::perform(ChartCommand command)
{
    QWidget* focus = QApplication::focusWidget();
    ChartCard* card = activeCard();
    if (card && focus && (card == focus || card->isAncestorOf(focus))) {
        card->perform(command);
        return;
    }
    if (const auto option = optionOf(command)) {
        m_choices.toggle(option);
        applyOptions();
    } else if (command == ChartCommand::ResetZoom || command == ChartCommand::Follow) {
        follow();
    } else if (card) {
        card->perform(command);
    }
}

bool RunsCharts::isChecked(ChartCommand command) const
{
    if (const auto option = optionOf(command)) {
        return m_choices.shared().*option;
    }
    return command == ChartCommand::Follow && follows();
}

void RunsCharts::follow()
{
    m_link->setXLimits({});
    m_choices.resetY();
    for (ChartCard* card : m_grid->cards()) {
        ChartOptions options = m_choices.optionsOf(card->tag());
        options.xLimits.reset();
        card->setOptions(options);
    }
    m_toolbar->setFollows(true);
    Q_EMIT optionsChanged();
    Q_EMIT stateChanged();
}

bool RunsCharts::follows() const
{
    return !m_link->xLimits().has_value();
}

void RunsCharts::setHoverReadoutShown(bool shown)
{
    m_showsHover = shown;
    for (ChartCard* card : m_grid->cards()) {
        card->cursor().setReadoutShown(shown);
    }
}

QJsonObject RunsCharts::saveState() const
{
    QJsonObject state;
    m_choices.save(state);
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
    m_choices.restore(state);
    m_toolbar->setOptions(m_choices.shared());
    m_toolbar->tagField().setText(state.value("tag_filter").toString());
    m_toolbar->setGroup(groupFromJson(state.value("group").toObject()));
    m_curves->setGroup(m_toolbar->group());
    m_columns = state.value("columns").toInt();
    m_grid->setColumns(m_columns);
    m_link->setAxis(m_choices.shared().xAxis);
    const QJsonArray limits = state.value("x_limits").toArray();
    m_link->setXLimits(limits.size() == 2 ? std::optional(AxisLimits{limits.at(0).toDouble(),
                                                                     limits.at(1).toDouble()})
                                          : std::nullopt);
    refresh();
    // Only now, since refresh() makes the groups.
    for (const QJsonValue& group : state.value("folded").toArray()) {
        m_grid->setFolded(group.toString(), true);
    }
    m_split->restoreState(QByteArray::fromBase64(state.value("readout").toString().toLatin1()));
    m_grid->refill();
}

} // namespace cannery::ui
