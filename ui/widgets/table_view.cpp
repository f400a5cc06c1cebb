// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/table_view.h"

#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QHeaderView>
#include <QPainter>

namespace cannery::ui {
namespace {

int heightOf(TableView::Rows rows)
{
    switch (rows) {
    case TableView::Rows::Data:
        return scaled(26);
    case TableView::Rows::Features:
        return scaled(34);
    case TableView::Rows::Runs:
        return scaled(46);
    }
    return scaled(26);
}

} // namespace

TableView::TableView(Rows rows, QWidget* parent) : QTableView(parent), m_rows(rows)
{
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setWordWrap(false);
    setCornerButtonEnabled(false);
    setTabKeyNavigation(false);
    setAlternatingRowColors(false);
    setMouseTracking(true);
    setSelectionBehavior(SelectRows);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    setEditTriggers(EditKeyPressed | DoubleClicked);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setStretchLastSection(true);
    horizontalHeader()->setFocusPolicy(Qt::NoFocus);
    horizontalHeader()->setResizeContentsPrecision(kRowsMeasured);
    followTheme();
    connect(&themeWatch(), &ThemeWatch::changed, this, &TableView::followTheme);
}

void TableView::followTheme()
{
    verticalHeader()->setMinimumSectionSize(scaled(12));
    verticalHeader()->setDefaultSectionSize(heightOf(m_rows));
    viewport()->update();
}

void TableView::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    QPainter painter(viewport());
    painter.setPen(tokens().line);
    const int first = rowAt(0);
    for (int row = first; row >= 0 && model() && row < model()->rowCount(rootIndex()); ++row) {
        if (isRowHidden(row)) {
            continue;
        }
        const int bottom = rowViewportPosition(row) + rowHeight(row) - 1;
        if (bottom > viewport()->height()) {
            break;
        }
        painter.drawLine(0, bottom, viewport()->width(), bottom);
    }
    if (showsFocusRing(*this) && !currentIndex().isValid()) {
        paintFocusRing(painter, viewport()->rect(), 6);
    }
}

} // namespace cannery::ui
