// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/runs_columns_dialog.h"

#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/style/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QListWidget>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <limits>

namespace cannery::ui {
namespace {

/// Prefers to show many columns; if there is little room, the list scrolls instead of the dialog.
class ColumnList : public QListWidget
{
public:
    QSize sizeHint() const override { return {QListWidget::sizeHint().width(), scaled(280)}; }
    QSize minimumSizeHint() const override
    {
        return {QListWidget::minimumSizeHint().width(), scaled(60)};
    }
};

} // namespace

RunsColumnsDialog::RunsColumnsDialog(const QList<RunColumn>& shown, const ProjectSnapshot& snapshot,
                                     QWidget* parent)
    : Dialog(tr("Columns"), parent), m_filter(new SearchField(tr("Find a column"))),
      m_list(new ColumnList), m_reducerRow(new QWidget), m_reducer(new QComboBox),
      m_step(new QSpinBox)
{
    setObjectName("dialog.columns");
    setSentence(tr("Ticked columns appear in the table in this order; parameters that differ "
                   "between the runs come first."));
    m_filter->setObjectName("field.find_column");
    m_list->setObjectName("list.columns");
    m_list->setAccessibleName(tr("Columns"));
    m_list->setDragDropMode(QAbstractItemView::InternalMove);
    m_reducer->setObjectName("field.reducer");
    m_reducer->setAccessibleName(tr("Value shown"));
    m_reducer->addItems(
        {tr("At the best step"), tr("Last"), tr("Minimum"), tr("Maximum"), tr("At step")});
    m_step->setObjectName("field.reducer_step");
    m_step->setAccessibleName(tr("Step"));
    m_step->setRange(0, std::numeric_limits<int>::max());

    addRows(shown, snapshot);
    body()->addWidget(m_filter);
    body()->addWidget(m_list, 1);
    body()->addLayout(makeBottom());
    addButton(Button::Kind::Primary, tr("Done"), QDialog::Accepted, true);

    connect(m_filter, &QLineEdit::textChanged, this, &RunsColumnsDialog::filterRows);
    connect(m_list, &QListWidget::itemChanged, this, &RunsColumnsDialog::changed);
    connect(m_list, &QListWidget::currentItemChanged, this, &RunsColumnsDialog::showReducer);
    connect(m_list->model(), &QAbstractItemModel::rowsMoved, this, &RunsColumnsDialog::changed);
    connect(m_reducer, &QComboBox::currentIndexChanged, this, &RunsColumnsDialog::takeReducer);
    connect(m_step, &QSpinBox::valueChanged, this, &RunsColumnsDialog::takeReducer);
    m_list->setCurrentRow(0);
    showReducer();
}

/// The shown columns, then the others.
void RunsColumnsDialog::addRows(const QList<RunColumn>& shown, const ProjectSnapshot& snapshot)
{
    QList<RunColumn> listed;
    for (const RunColumn& column : shown) {
        if (!column.isFixed()) {
            const bool isField =
                column.kind == RunColumn::Kind::Metric || column.kind == RunColumn::Kind::Parameter;
            addRow(column, isField ? column.key : headerText(column), true);
            listed.append(column);
        }
    }
    for (const ColumnOffer& offer : availableColumns(snapshot)) {
        const bool isListed =
            std::any_of(listed.begin(), listed.end(), [&](const RunColumn& column) {
                return column.kind == offer.column.kind && column.key == offer.column.key;
            });
        if (!isListed) {
            addRow(offer.column, offer.label, false);
        }
    }
}

/// Below the list: the actions for the current column.
QLayout* RunsColumnsDialog::makeBottom()
{
    auto* reducers = new QHBoxLayout(m_reducerRow);
    reducers->setContentsMargins(0, 0, 0, 0);
    reducers->addWidget(new Label(tr("Value shown"), TextRole::Label, Ink::Secondary));
    reducers->addWidget(m_reducer, 1);
    reducers->addWidget(m_step);
    auto* up = new IconButton("arrow-up", tr("Move up"));
    auto* down = new IconButton("arrow-down", tr("Move down"));
    up->setObjectName("button.column_up");
    down->setObjectName("button.column_down");
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(up);
    bottom->addWidget(down);
    bottom->addWidget(m_reducerRow, 1);
    connect(up, &QToolButton::clicked, this, [this] { moveCurrent(-1); });
    connect(down, &QToolButton::clicked, this, [this] { moveCurrent(1); });
    return bottom;
}

void RunsColumnsDialog::addRow(const RunColumn& column, const QString& label, bool ticked)
{
    auto* item = new QListWidgetItem(label, m_list);
    item->setData(Qt::UserRole, m_columns.size());
    item->setToolTip(description(column));
    // Without ItemIsDropEnabled: a row that is dropped onto another one would replace it.
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable |
                   Qt::ItemIsDragEnabled);
    item->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
    m_columns.append(column);
}

RunColumn RunsColumnsDialog::columnOf(const QListWidgetItem& item) const
{
    return m_columns.at(item.data(Qt::UserRole).toInt());
}

QList<RunColumn> RunsColumnsDialog::columns() const
{
    QList<RunColumn> ticked = fixedColumns();
    for (int row = 0; row < m_list->count(); ++row) {
        if (m_list->item(row)->checkState() == Qt::Checked) {
            ticked.append(columnOf(*m_list->item(row)));
        }
    }
    return ticked;
}

void RunsColumnsDialog::filterRows(const QString& text)
{
    for (int row = 0; row < m_list->count(); ++row) {
        QListWidgetItem* item = m_list->item(row);
        item->setHidden(!item->text().contains(text.trimmed(), Qt::CaseInsensitive));
    }
}

void RunsColumnsDialog::moveCurrent(int by)
{
    const int row = m_list->currentRow();
    const int to = row + by;
    if (row < 0 || to < 0 || to >= m_list->count()) {
        return;
    }
    {
        // Taking the row out moves the current one to a neighbour and back.
        const QSignalBlocker blocker(m_list);
        QListWidgetItem* item = m_list->takeItem(row);
        m_list->insertItem(to, item);
        m_list->setCurrentItem(item);
    }
    Q_EMIT changed();
}

void RunsColumnsDialog::showReducer()
{
    const QListWidgetItem* item = m_list->currentItem();
    const bool isMetric = item && columnOf(*item).kind == RunColumn::Kind::Metric;
    m_reducerRow->setEnabled(isMetric);
    if (!isMetric) {
        return;
    }
    const RunColumn column = columnOf(*item);
    const QSignalBlocker blockers[]{QSignalBlocker(m_reducer), QSignalBlocker(m_step)};
    m_reducer->setCurrentIndex(static_cast<int>(column.reducer));
    m_step->setValue(static_cast<int>(column.step));
    m_step->setEnabled(column.reducer == Reducer::AtStep);
}

void RunsColumnsDialog::takeReducer()
{
    const QListWidgetItem* item = m_list->currentItem();
    if (!item) {
        return;
    }
    RunColumn& column = m_columns[item->data(Qt::UserRole).toInt()];
    column.reducer = static_cast<Reducer>(m_reducer->currentIndex());
    column.step = column.reducer == Reducer::AtStep ? m_step->value() : 0;
    m_step->setEnabled(column.reducer == Reducer::AtStep);
    Q_EMIT changed();
}

} // namespace cannery::ui
