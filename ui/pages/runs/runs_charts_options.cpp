// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/chart_grid.h"
#include "ui/charts/curves/chart_cursor.h"
#include "ui/charts/curves/chart_link.h"
#include "ui/pages/runs/runs_charts.h"
#include "ui/pages/runs/runs_toolbar.h"

#include <QApplication>

namespace cannery::ui {

ChartOptions RunsCharts::optionsOf(const QString& tag) const
{
    ChartOptions options = m_options;
    if (const auto own = m_own.find(tag); own != m_own.end()) {
        options.logY = own->logY;
        options.ignoreOutliers = own->ignoreOutliers;
        options.yLimits = own->yLimits;
    }
    return options;
}

/// An option set on one card applies to all, except for its y axis.
void RunsCharts::takeOptionsOf(const ChartCard& card)
{
    const ChartOptions& options = card.options();
    m_own.insert(card.tag(), options);
    m_options.xAxis = options.xAxis;
    m_options.logX = options.logX;
    m_options.smoothing = options.smoothing;
    m_options.showOverwritten = options.showOverwritten;
    m_toolbar->setOptions(m_options);
    applyOptions();
}

void RunsCharts::applyOptions()
{
    m_link->setAxis(m_options.xAxis);
    for (ChartCard* card : m_grid->cards()) {
        ChartOptions options = optionsOf(card->tag());
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
    switch (command) {
    case ChartCommand::LogY:
    case ChartCommand::Outliers: {
        bool ChartOptions::*const member =
            command == ChartCommand::LogY ? &ChartOptions::logY : &ChartOptions::ignoreOutliers;
        m_options.*member = !(m_options.*member);
        // Cards with a y axis of their own follow as well.
        for (ChartOptions& own : m_own) {
            own.*member = m_options.*member;
        }
        applyOptions();
        return;
    }
    case ChartCommand::LogX:
        m_options.logX = !m_options.logX;
        applyOptions();
        return;
    case ChartCommand::ShowOverwritten:
        m_options.showOverwritten = !m_options.showOverwritten;
        applyOptions();
        return;
    case ChartCommand::ResetZoom:
    case ChartCommand::Follow:
        follow();
        return;
    default:
        if (card) {
            card->perform(command);
        }
        return;
    }
}

bool RunsCharts::isChecked(ChartCommand command) const
{
    switch (command) {
    case ChartCommand::LogX:
        return m_options.logX;
    case ChartCommand::LogY:
        return m_options.logY;
    case ChartCommand::Outliers:
        return m_options.ignoreOutliers;
    case ChartCommand::ShowOverwritten:
        return m_options.showOverwritten;
    case ChartCommand::Follow:
        return follows();
    default:
        return false;
    }
}

void RunsCharts::follow()
{
    m_link->setXLimits({});
    for (ChartOptions& own : m_own) {
        own.yLimits.reset();
    }
    for (ChartCard* card : m_grid->cards()) {
        ChartOptions options = optionsOf(card->tag());
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

} // namespace cannery::ui
