// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/evaluation_cards.h"

#include "ui/widgets/card.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QHeaderView>
#include <QLayoutItem>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kMostRowsShown = 12; ///< more scroll

} // namespace

EvaluationCards::EvaluationCards(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(scaled(12));
    hide();
}

void EvaluationCards::setTables(const QList<EvaluationTable>& tables)
{
    if (tables == m_tables) {
        return;
    }
    m_tables = tables;
    while (QLayoutItem* item = m_column->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (qsizetype i = 0; i < tables.size(); ++i) {
        m_column->addWidget(cardOf(tables[i], static_cast<int>(i)));
    }
    setVisible(!tables.isEmpty());
}

QWidget* EvaluationCards::cardOf(const EvaluationTable& table, int number)
{
    const QString title = table.isSlice ? tr("Slices by %1").arg(table.title) : table.title;
    auto* card = new Card(title);
    auto* view = new TableView(TableView::Rows::Data);
    view->setObjectName(QStringLiteral("table.evaluation_%1").arg(number));
    view->setAccessibleName(title);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    auto* sorted = new QSortFilterProxyModel(view);
    sorted->setSourceModel(new EvaluationTableModel(table, view));
    sorted->setSortRole(EvaluationTableModel::SortRole);
    view->setModel(sorted);
    view->setSortingEnabled(true);
    view->sortByColumn(-1, Qt::AscendingOrder); // as written: the largest group first
    view->resizeColumnsToContents();
    const auto rows = static_cast<int>(std::min<qsizetype>(table.rows.size(), kMostRowsShown));
    view->setFixedHeight(view->horizontalHeader()->sizeHint().height() +
                         rows * view->verticalHeader()->defaultSectionSize() + scaled(16));
    card->body()->addWidget(view);
    return card;
}

} // namespace cannery::ui
