// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/train/worker_table.h"

#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kMostRows = 4; ///< more scroll: the curves need the room

} // namespace

WorkerTable::WorkerTable(QWidget* parent)
    : QWidget(parent), m_words(new Label({}, TextRole::Label, Ink::Secondary)),
      m_table(new TableView(TableView::Rows::Data))
{
    m_words->setObjectName("words.workers");
    m_words->setWordWrap(true);
    m_table->setObjectName("table.workers");
    m_table->setAccessibleName(tr("Tasks of the cluster"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setModel(&m_model);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(4));
    column->addWidget(m_table);
    column->addWidget(m_words);
    connect(&themeWatch(), &ThemeWatch::changed, this, &WorkerTable::fit);
    hide();
}

void WorkerTable::setWorkers(const QList<WorkerRow>& workers)
{
    const int before = m_model.rowCount();
    m_model.setWorkers(workers);
    const bool anyLost = std::any_of(workers.begin(), workers.end(),
                                     [](const WorkerRow& worker) { return worker.isLost(); });
    m_words->setInk(anyLost ? Ink::Warn : Ink::Secondary);
    m_words->setText(m_model.summary());
    if (m_model.rowCount() != before) {
        fit();
    }
    setVisible(!workers.isEmpty());
}

void WorkerTable::fit()
{
    const int shown = std::min(m_model.rowCount(), kMostRows);
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() +
                            shown * m_table->verticalHeader()->defaultSectionSize() + scaled(2));
}

} // namespace cannery::ui
