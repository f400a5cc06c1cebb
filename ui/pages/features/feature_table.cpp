// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/feature_table.h"

#include "ui/editing/feature_list_model.h"
#include "ui/models/tables/dragged_columns.h"
#include "ui/pages/features/feature_delegate.h"
#include "ui/widgets/style/theme.h"

#include <QDropEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMimeData>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace cannery::ui {

namespace {

bool isColumnKey(const QKeyEvent& event)
{
    const int key = event.key();
    const bool isMove = key == Qt::Key_Up || key == Qt::Key_Down;
    return event.modifiers() == Qt::AltModifier
               ? isMove
               : event.modifiers() == Qt::NoModifier &&
                     (key == Qt::Key_Delete || key == Qt::Key_F2 || key == Qt::Key_Return ||
                      key == Qt::Key_Enter);
}

} // namespace

FeatureTable::FeatureTable(FeatureListModel* model, QWidget* parent)
    : TableView(TableView::Rows::Features, parent), m_features(model)
{
    setObjectName("table.features");
    setAccessibleName(tr("Feature columns"));
    setModel(model);
    setItemDelegate(new FeatureDelegate(this));
    verticalHeader()->setVisible(false);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setDragEnabled(true);
    setAcceptDrops(true);
    viewport()->setAcceptDrops(true);
    setDragDropOverwriteMode(false);
    setDefaultDropAction(Qt::MoveAction);
    setContextMenuPolicy(Qt::CustomContextMenu);
    QHeaderView* header = horizontalHeader();
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(FeatureListModel::FeatureColumn, QHeaderView::Stretch);
    header->setHighlightSections(false);
    header->setStretchLastSection(false);
    connect(&themeWatch(), &ThemeWatch::changed, this, &FeatureTable::fitColumns);
    fitColumns();
    connect(this, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (index.column() == FeatureListModel::SideColumn) {
            Q_EMIT useRequested(index);
        }
    });
}

void FeatureTable::fitColumns()
{
    const auto widen = [this](int section, int width) {
        setColumnWidth(section,
                       // At least the header's own text, which is longer in some languages.
                       std::max(scaled(width), horizontalHeader()->sectionSizeHint(section)));
    };
    widen(FeatureListModel::WidthColumn, 84);
    widen(FeatureListModel::ParametersColumn, 104);
    widen(FeatureListModel::SideColumn, 132);
}

const FeatureFacts* FeatureTable::current() const
{
    const QModelIndexList rows = selectionModel()->selectedIndexes();
    return rows.isEmpty() ? nullptr : m_features->at(rows.first().row());
}

bool FeatureTable::event(QEvent* event)
{
    // Claimed before shortcuts of the window such as Delete and F2, which act on runs.
    if (event->type() == QEvent::ShortcutOverride && isColumnKey(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return TableView::event(event);
}

void FeatureTable::keyPressEvent(QKeyEvent* event)
{
    const FeatureFacts* feature = current();
    if (!feature || !isColumnKey(*event)) {
        TableView::keyPressEvent(event);
        return;
    }
    const QString name = feature->name;
    if (event->modifiers() == Qt::AltModifier) {
        Q_EMIT stepRequested(name, event->key() == Qt::Key_Up ? -1 : 1);
    } else if (event->key() == Qt::Key_Delete) {
        Q_EMIT removeRequested(name);
    } else if (event->key() == Qt::Key_F2) {
        Q_EMIT renameRequested();
    } else {
        Q_EMIT useRequested(
            m_features->index(m_features->rowOf(name), FeatureListModel::SideColumn));
    }
}

bool FeatureTable::takes(const QDropEvent& event) const
{
    return event.mimeData()->hasFormat(draggedColumnsType()) ||
           event.mimeData()->hasFormat(FeatureListModel::mimeType());
}

int FeatureTable::rowAt(const QPoint& position) const
{
    const QModelIndex index = indexAt(position);
    if (!index.isValid()) {
        // Behind the last row is the end of the list.
        return m_features->rowCount();
    }
    // The nearer edge of the row under the pointer.
    return index.row() + (position.y() > visualRect(index).center().y() ? 1 : 0);
}

void FeatureTable::showPlace(int row)
{
    if (row != m_place) {
        m_place = row;
        viewport()->update();
    }
}

/// So that a row can be dragged to a place that is not in view.
void FeatureTable::scrollAtEdges(const QPoint& position)
{
    const int step = position.y() < autoScrollMargin()                          ? -1
                     : position.y() > viewport()->height() - autoScrollMargin() ? 1
                                                                                : 0;
    verticalScrollBar()->setValue(verticalScrollBar()->value() + step * scaled(8));
}

void FeatureTable::dragEnterEvent(QDragEnterEvent* event)
{
    if (takes(*event)) {
        event->accept();
    }
}

void FeatureTable::dragMoveEvent(QDragMoveEvent* event)
{
    if (!takes(*event)) {
        return;
    }
    const QPoint position = event->position().toPoint();
    if (event->mimeData()->hasFormat(FeatureListModel::mimeType())) {
        scrollAtEdges(position);
        showPlace(rowAt(position));
        event->setDropAction(Qt::MoveAction);
    } else {
        // The column stays in the table of data.
        event->setDropAction(Qt::CopyAction);
    }
    event->accept();
}

void FeatureTable::dragLeaveEvent(QDragLeaveEvent* /*event*/)
{
    showPlace(-1);
}

void FeatureTable::dropEvent(QDropEvent* event)
{
    showPlace(-1);
    if (!takes(*event)) {
        return;
    }
    event->accept();
    if (event->mimeData()->hasFormat(draggedColumnsType())) {
        event->setDropAction(Qt::CopyAction);
        Q_EMIT columnDropped(draggedColumns(*event->mimeData()).first());
        return;
    }
    const QString name = QString::fromUtf8(event->mimeData()->data(FeatureListModel::mimeType()));
    // Null for the end.
    const FeatureFacts* other = m_features->at(rowAt(event->position().toPoint()));
    Q_EMIT placeRequested(name, other ? other->name : QString());
}

void FeatureTable::paintEvent(QPaintEvent* event)
{
    TableView::paintEvent(event);
    if (m_place < 0) {
        return;
    }
    const bool isLast = m_place >= m_features->rowCount();
    const QRect row = visualRect(m_features->index(isLast ? m_place - 1 : m_place, 0));
    const int y = isLast ? row.bottom() : row.top();
    QPainter painter(viewport());
    painter.setPen(QPen(tokens().accent, scaled(2)));
    painter.drawLine(0, y, viewport()->width(), y);
}

} // namespace cannery::ui
