// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/flow_layout.h"

#include "ui/widgets/style/theme.h"

#include <QWidget>

#include <algorithm>

namespace cannery::ui {
namespace {

bool isSeen(const QLayoutItem* item)
{
    return !item->isEmpty();
}

int itemHeight(QLayoutItem* item, int width)
{
    return item->hasHeightForWidth() ? item->heightForWidth(width) : item->sizeHint().height();
}

QRect mirrored(const QLayout* layout, const QRect& all, QRect rectangle)
{
    const QWidget* widget = layout->parentWidget();
    if (widget && widget->isRightToLeft()) {
        rectangle.moveLeft(all.left() + all.right() - rectangle.right());
    }
    return rectangle;
}

} // namespace

FlowLayout::FlowLayout(QWidget* parent, int spacing) : QLayout(parent)
{
    setContentsMargins(0, 0, 0, 0);
    setSpacing(scaled(spacing));
}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

void FlowLayout::setColumns(int minimumColumnWidth, int maximumColumns)
{
    m_minimumColumnWidth = minimumColumnWidth;
    m_maximumColumns = std::max(1, maximumColumns);
    invalidate();
}

void FlowLayout::addItem(QLayoutItem* item)
{
    m_items.append(item);
}

void FlowLayout::insertWidget(int index, QWidget* widget)
{
    addWidget(widget);
    m_items.move(m_items.size() - 1, std::clamp<qsizetype>(index, 0, m_items.size() - 1));
    invalidate();
}

int FlowLayout::count() const
{
    return static_cast<int>(m_items.size());
}

QLayoutItem* FlowLayout::itemAt(int index) const
{
    return m_items.value(index);
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

int FlowLayout::heightForWidth(int width) const
{
    return place(QRect(0, 0, width, 0), false);
}

QSize FlowLayout::sizeHint() const
{
    const QMargins margins = contentsMargins();
    int width = 0;
    int height = 0;
    for (const QLayoutItem* item : m_items) {
        if (isSeen(item)) {
            const QSize hint = item->sizeHint();
            width += hint.width() + (width > 0 ? spacing() : 0);
            height = std::max(height, hint.height());
        }
    }
    return QSize(width, height) +
           QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

QSize FlowLayout::minimumSize() const
{
    const QMargins margins = contentsMargins();
    QSize size;
    for (const QLayoutItem* item : m_items) {
        if (isSeen(item)) {
            size = size.expandedTo(item->minimumSize());
        }
    }
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rectangle)
{
    QLayout::setGeometry(rectangle);
    place(rectangle, true);
}

int FlowLayout::place(const QRect& rectangle, bool really) const
{
    const QMargins margins = contentsMargins();
    const QRect inner = rectangle.marginsRemoved(margins);
    // Measured by the code that places, so that the height promised is the height taken.
    const int height =
        m_minimumColumnWidth > 0 ? placeColumns(inner, really) : placeFlow(inner, really);
    return height + margins.top() + margins.bottom();
}

int FlowLayout::placeFlow(const QRect& rectangle, bool really) const
{
    int x = 0;
    int y = 0;
    int rowHeight = 0;
    for (QLayoutItem* item : m_items) {
        if (!isSeen(item)) {
            continue;
        }
        QSize size = item->sizeHint();
        size.setWidth(std::min(size.width(), std::max(rectangle.width(), 1)));
        size.setHeight(itemHeight(item, size.width()));
        if (x > 0 && x + size.width() > rectangle.width()) {
            x = 0;
            y += rowHeight + spacing();
            rowHeight = 0;
        }
        if (really) {
            item->setGeometry(
                mirrored(this, rectangle, QRect(rectangle.topLeft() + QPoint(x, y), size)));
        }
        x += size.width() + spacing();
        rowHeight = std::max(rowHeight, size.height());
    }
    return y + rowHeight;
}

int FlowLayout::placeColumns(const QRect& rectangle, bool really) const
{
    const int least = scaled(m_minimumColumnWidth);
    const auto seen = static_cast<int>(std::count_if(m_items.begin(), m_items.end(), isSeen));
    const int fitting = (rectangle.width() + spacing()) / (least + spacing());
    const int columns = std::clamp(fitting, 1, std::clamp(seen, 1, m_maximumColumns));
    const double width =
        (rectangle.width() - spacing() * (columns - 1)) / static_cast<double>(columns);
    int y = 0;
    int column = 0;
    QList<QLayoutItem*> row;
    int rowHeight = 0;
    const auto finishRow = [&] {
        for (int i = 0; really && i < row.size(); ++i) {
            const int left = static_cast<int>(i * (width + spacing()));
            const int right = static_cast<int>(i * (width + spacing()) + width);
            row[i]->setGeometry(mirrored(
                this, rectangle,
                QRect(rectangle.left() + left, rectangle.top() + y, right - left, rowHeight)));
        }
        y += rowHeight + spacing();
        column = 0;
        rowHeight = 0;
        row.clear();
    };
    for (QLayoutItem* item : m_items) {
        if (!isSeen(item)) {
            continue;
        }
        row.append(item);
        rowHeight = std::max(rowHeight, itemHeight(item, static_cast<int>(width)));
        if (++column == columns) {
            finishRow();
        }
    }
    if (!row.isEmpty()) {
        finishRow();
    }
    return std::max(0, y - spacing());
}

} // namespace cannery::ui
