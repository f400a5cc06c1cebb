// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/runs_readout.h"

#include "ui/widgets/button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

/// The colour of a row's run, with a pin if the row is pinned.
class SwatchDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        painter->save();
        if (option.state & QStyle::State_Selected) {
            painter->fillRect(option.rect, tokens().tint);
        }
        painter->setRenderHint(QPainter::Antialiasing);
        QRectF square(0, 0, scaled(12), scaled(12));
        square.moveCenter(QRectF(option.rect).center());
        const QColor colour = seriesColour(index.data(ReadoutModel::SlotRole).toInt());
        if (index.data(ReadoutModel::PinnedRole).toBool()) {
            painter->setPen(QPen(colour, 2));
            painter->drawRoundedRect(square.adjusted(1, 1, -1, -1), scaled(3), scaled(3));
        } else {
            paintSurface(*painter, square, scaled(3), colour);
        }
        painter->restore();
    }
};

} // namespace

RunsReadout::RunsReadout(QWidget* parent)
    : QWidget(parent), m_sorted(new QSortFilterProxyModel(this)),
      m_place(new Label({}, TextRole::Strong)),
      m_what(new ElidedLabel({}, TextRole::Label, Ink::Secondary)),
      m_previous(new IconButton("chevron-left", tr("Previous point"))),
      m_next(new IconButton("chevron-right", tr("Next point"))),
      m_pin(new Button(Button::Kind::Quiet, "pin", tr("Pin"))),
      m_copy(new Button(Button::Kind::Quiet, "copy", tr("Copy"))),
      m_csv(new Button(Button::Kind::Quiet, "download", tr("CSV"))),
      m_table(new TableView(TableView::Rows::Data))
{
    setObjectName("readout");
    m_previous->setObjectName("button.previous_point");
    m_next->setObjectName("button.next_point");
    m_pin->setObjectName("button.pin_readout");
    m_copy->setObjectName("button.copy_readout");
    m_copy->setToolTip(tr("Copy the rows as tab-separated text, in full precision"));
    m_csv->setObjectName("button.readout_csv");
    m_csv->setToolTip(tr("Save the rows as CSV"));
    m_table->setObjectName("table.readout");
    m_table->setAccessibleName(tr("Values at the cursor"));
    m_sorted->setSortRole(ReadoutModel::SortRole);
    m_sorted->setSourceModel(&m_model);
    m_table->setModel(m_sorted);
    m_table->setItemDelegateForColumn(ReadoutModel::Swatch, new SwatchDelegate(m_table));
    m_table->setSortingEnabled(true);
    // A third click on a header restores the order of the runs.
    m_table->horizontalHeader()->setSortIndicatorClearable(true);
    m_table->horizontalHeader()->setSortIndicator(ReadoutModel::Value, Qt::DescendingOrder);
    m_table->horizontalHeader()->setMinimumSectionSize(scaled(20));
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(ReadoutModel::Swatch, QHeaderView::Fixed);
    m_table->horizontalHeader()->setSectionResizeMode(ReadoutModel::SinceStart,
                                                      QHeaderView::Stretch);
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_table->setColumnWidth(ReadoutModel::Swatch, scaled(28));

    auto* top = new QHBoxLayout;
    top->setSpacing(scaled(8));
    top->addWidget(m_place);
    top->addWidget(m_what);
    top->addWidget(m_previous);
    top->addWidget(m_next);
    top->addStretch(1);
    top->addWidget(m_pin);
    top->addWidget(m_copy);
    top->addWidget(m_csv);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(scaled(16), scaled(8), scaled(16), 0);
    column->setSpacing(scaled(4));
    column->addLayout(top);
    column->addWidget(m_table, 1);

    connect(m_previous, &QToolButton::clicked, this, &RunsReadout::previousPointRequested);
    connect(m_next, &QToolButton::clicked, this, &RunsReadout::nextPointRequested);
    connect(m_pin, &QPushButton::clicked, this, [this] {
        if (m_model.hasPinned()) {
            m_model.unpin();
        } else {
            m_model.pin();
        }
    });
    connect(m_copy, &QPushButton::clicked, this, &RunsReadout::copy);
    connect(m_csv, &QPushButton::clicked, this,
            [this] { Q_EMIT csvRequested(m_model.asCsv().toUtf8()); });
    connect(&m_model, &QAbstractItemModel::modelReset, this, &RunsReadout::updateButtons);
    setPlace({}, {});
}

void RunsReadout::setPlace(const QString& place, const QString& what)
{
    m_place->setText(place.isEmpty() ? tr("Values at the cursor") : place);
    m_what->setText(place.isEmpty() ? tr("point at a chart, or use the arrow keys on it") : what);
    m_previous->setEnabled(!place.isEmpty());
    m_next->setEnabled(!place.isEmpty());
    updateButtons();
}

void RunsReadout::updateButtons()
{
    const bool hasRows = m_model.rowCount() > 0;
    m_pin->setEnabled(hasRows);
    m_pin->setText(m_model.hasPinned() ? tr("Unpin") : tr("Pin"));
    m_pin->setIconName(m_model.hasPinned() ? "pin-filled" : "pin");
    m_copy->setEnabled(hasRows);
    m_csv->setEnabled(hasRows);
}

QList<int> RunsReadout::wantedRows() const
{
    const QItemSelectionModel& selection = *m_table->selectionModel();
    QList<int> rows;
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        const QModelIndex index = m_sorted->index(row, 0);
        // Without a selection, all: in the order on the screen.
        if (!selection.hasSelection() || selection.isRowSelected(row)) {
            rows.append(m_sorted->mapToSource(index).row());
        }
    }
    return rows;
}

void RunsReadout::copy() const
{
    QApplication::clipboard()->setText(m_model.asTabSeparated(wantedRows()));
}

} // namespace cannery::ui
