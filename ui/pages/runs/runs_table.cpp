// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/runs_table.h"

#include "ui/pages/runs/runs_delegate.h"
#include "ui/widgets/style/theme.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace cannery::ui {
namespace {

using Kind = RunColumn::Kind;
constexpr int kColours = 16;
constexpr double kNameWidth = 112; ///< minimum of the name column

QIcon swatch(int slot)
{
    QPixmap picture(scaled(14), scaled(14));
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(seriesColour(slot));
    painter.drawRoundedRect(picture.rect(), scaled(4), scaled(4));
    return QIcon(picture);
}

QString colourName(int slot)
{
    const QStringList names{RunsTable::tr("Blue"),   RunsTable::tr("Vermilion"),
                            RunsTable::tr("Green"),  RunsTable::tr("Plum"),
                            RunsTable::tr("Ochre"),  RunsTable::tr("Cyan"),
                            RunsTable::tr("Indigo"), RunsTable::tr("Grey")};
    const QString& name = names.at(slot % names.size());
    return slot < names.size() ? name : RunsTable::tr("%1, second shade").arg(name);
}

} // namespace

RunsTable::RunsTable(RunTableModel& model, RunFilterProxy& proxy, QWidget* parent)
    : TableView(Rows::Runs, parent), m_model(&model), m_proxy(&proxy),
      m_delegate(new RunsDelegate(this))
{
    setObjectName("table.runs");
    setAccessibleName(tr("Runs"));
    setModel(&proxy);
    setItemDelegate(m_delegate);
    setSelectionMode(ExtendedSelection);
    // A double click on a name edits it, one on a value opens the run: see doubleClicked below.
    setEditTriggers(EditKeyPressed);
    setDragEnabled(true);
    setDragDropMode(DragOnly);
    horizontalHeader()->setStretchLastSection(false);
    horizontalHeader()->setMinimumSectionSize(scaled(20));
    horizontalHeader()->setSectionsClickable(true);
    // Unsorted, as the catalog has them: descending, newer releases of Qt (6.8) reverse that.
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    horizontalHeader()->setSortIndicatorClearable(true);
    setSortingEnabled(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    connect(m_delegate, &RunsDelegate::shownToggled, this,
            [this](const QString& run, bool shown) { m_model->setShown({run}, shown); });
    connect(m_delegate, &RunsDelegate::starToggled, this, [this](const QString& run, bool star) {
        if (!isFixed(run, QCursor::pos())) {
            Q_EMIT m_model->starRequested(run, star);
        }
    });
    connect(m_delegate, &RunsDelegate::colourWanted, this, &RunsTable::offerColours);
    connect(this, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex& index) {
        const Kind kind = static_cast<Kind>(index.data(RunTableModel::KindRole).toInt());
        if (kind == Kind::Name) {
            edit(index);
        } else if (kind > Kind::Star) {
            Q_EMIT openRequested(currentRun());
        }
    });
    connect(&model, &RunTableModel::columnsChanged, this, &RunsTable::fitColumns);
    connect(&themeWatch(), &ThemeWatch::changed, this, &RunsTable::fitColumns);
    fitColumns();
}

int RunsTable::widthOf(const RunColumn& column) const
{
    switch (column.kind) {
    case Kind::Eye:
    case Kind::Colour:
    case Kind::Star:
    case Kind::State:
        return scaled(24);
    case Kind::Tags:
    case Kind::Notes:
    case Kind::Estimator:
    case Kind::Started:
        return scaled(116);
    default:
        break;
    }
    const QFontMetrics header(textFont(TextRole::LabelStrong));
    const QFontMetrics value(textFont(TextRole::Strong));
    // As wide as its title, but for a value at least, and not for any length.
    return std::clamp(header.horizontalAdvance(headerText(column)) + scaled(18),
                      value.horizontalAdvance(QStringLiteral("0.8888")) + scaled(12), scaled(150));
}

/// The name column takes the remaining width, but never less than its minimum.
void RunsTable::fitColumns()
{
    int others = 0;
    int name = -1;
    const QList<RunColumn>& columns = m_model->columns();
    for (int i = 0; i < columns.size(); ++i) {
        horizontalHeader()->setSectionResizeMode(i, QHeaderView::Interactive);
        if (columns.at(i).kind == Kind::Name) {
            name = i;
            continue;
        }
        const int width = widthOf(columns.at(i));
        setColumnWidth(i, width);
        others += width;
    }
    if (name >= 0) {
        setColumnWidth(name, std::max(scaled(kNameWidth), viewport()->width() - others));
    }
}

void RunsTable::resizeEvent(QResizeEvent* event)
{
    TableView::resizeEvent(event);
    fitColumns();
}

QStringList RunsTable::selectedRuns() const
{
    QList<int> rows;
    for (const QModelIndex& index : selectionModel()->selectedIndexes()) {
        if (!rows.contains(index.row())) {
            rows.append(index.row());
        }
    }
    std::sort(rows.begin(), rows.end());
    QStringList runs;
    for (const int row : std::as_const(rows)) {
        runs.append(m_proxy->runAt(row));
    }
    return runs;
}

QString RunsTable::currentRun() const
{
    return currentIndex().isValid() ? m_proxy->runAt(currentIndex().row()) : QString();
}

void RunsTable::selectRun(const QString& run)
{
    const QModelIndex index = m_proxy->indexOf(run, m_model->columnOf(Kind::Name));
    if (index.isValid()) {
        setCurrentIndex(index);
        scrollTo(index);
    }
}

void RunsTable::selectRuns(const QStringList& runs)
{
    QItemSelection rows;
    for (const QString& run : runs) {
        if (const QModelIndex index = m_proxy->indexOf(run, m_model->columnOf(Kind::Name));
            index.isValid()) {
            rows.select(index, index);
        }
    }
    selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void RunsTable::editCurrentName()
{
    const int row = currentIndex().row();
    if (row >= 0) {
        const QModelIndex name = m_proxy->index(row, m_model->columnOf(Kind::Name));
        setCurrentIndex(name);
        edit(name);
    }
}

void RunsTable::hoverRow(int row)
{
    if (row == m_hoveredRow) {
        return;
    }
    m_hoveredRow = row;
    m_delegate->setHoveredRow(row);
    viewport()->update();
    Q_EMIT runHovered(row < 0 ? QString() : m_proxy->runAt(row));
}

void RunsTable::mouseMoveEvent(QMouseEvent* event)
{
    hoverRow(rowAt(event->position().toPoint().y()));
    TableView::mouseMoveEvent(event);
}

void RunsTable::leaveEvent(QEvent* event)
{
    hoverRow(-1);
    TableView::leaveEvent(event);
}

void RunsTable::keyPressEvent(QKeyEvent* event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && state() != EditingState && !currentRun().isEmpty()) {
        Q_EMIT openRequested(currentRun());
        return;
    }
    TableView::keyPressEvent(event);
}

void RunsTable::contextMenuEvent(QContextMenuEvent* event)
{
    const bool isByKey = event->reason() == QContextMenuEvent::Keyboard;
    Q_EMIT menuRequested(isByKey ? viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft())
                                 : event->globalPos());
}

void RunsTable::selectionChanged(const QItemSelection& selected, const QItemSelection& deselected)
{
    TableView::selectionChanged(selected, deselected);
    // Assistive technology selects a row without making it the current one.
    const QModelIndexList added = selected.indexes();
    const bool hasCurrent = std::any_of(added.begin(), added.end(), [&](const QModelIndex& index) {
        return index.row() == currentIndex().row();
    });
    if (!added.isEmpty() && !hasCurrent) {
        selectionModel()->setCurrentIndex(added.first(), QItemSelectionModel::NoUpdate);
    }
    Q_EMIT selectionMoved();
}

void RunsTable::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    TableView::currentChanged(current, previous);
    // The ring is drawn around the name, which need not be in the cell that has changed.
    viewport()->update();
}

/// Shows the reason at the pointer.
bool RunsTable::isFixed(const QString& run, const QPoint& globalPosition)
{
    const ProjectSnapshotPtr snapshot = m_model->snapshot();
    const QString hindrance = snapshot->changeHindrance(snapshot->find(run));
    if (!hindrance.isEmpty()) {
        QToolTip::showText(globalPosition, hindrance, this);
    }
    return !hindrance.isEmpty();
}

void RunsTable::offerColours(const QString& run, const QPoint& globalPosition)
{
    if (isFixed(run, globalPosition)) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName("menu.colour");
    for (int slot = 0; slot < kColours; ++slot) {
        menu->addAction(swatch(slot), colourName(slot), this,
                        [this, run, slot] { Q_EMIT colourChosen(run, slot); });
    }
    menu->popup(globalPosition);
}

} // namespace cannery::ui
