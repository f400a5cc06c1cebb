// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/runs/run_checkpoints.h"

#include "ui/pages/page_parts.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

namespace cannery::ui {

RunCheckpoints::RunCheckpoints(QWidget* parent)
    : QWidget(parent), m_table(new TableView(TableView::Rows::Features)),
      m_nothing(
          new Label(tr("No checkpoint of this run is on disk."), TextRole::Body, Ink::Secondary)),
      m_export(new Button(Button::Kind::Plain, "package-export", tr("Export…"))),
      m_startFrom(new Button(Button::Kind::Plain, "player-play", tr("Start From")))
{
    m_table->setObjectName("table.checkpoints");
    m_table->setAccessibleName(tr("Checkpoints"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setModel(&m_model);
    m_export->setObjectName("button.export_checkpoint");
    m_startFrom->setObjectName("button.start_from");
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_export);
    buttons->addWidget(m_startFrom);
    buttons->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addLayout(buttons);
    column->addWidget(m_nothing);
    column->addWidget(m_table, 1);
    connect(m_export, &QPushButton::clicked, this,
            [this] { Q_EMIT exportRequested(selectedStep()); });
    connect(m_startFrom, &QPushButton::clicked, this,
            [this] { Q_EMIT startRequested(selectedStep()); });
}

void RunCheckpoints::showRun(const ProjectSnapshot& snapshot, const RunRow& run)
{
    const qint64 before = selectedStep();
    m_model.setRun(run);
    const bool hasAny = m_model.rowCount() > 0;
    m_table->setVisible(hasAny);
    m_nothing->setVisible(!hasAny);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    int chosen = 0;
    for (int row = 0; row < m_model.rowCount(); ++row) {
        const CheckpointRow& checkpoint = *m_model.checkpoint(row);
        if (before >= 0 ? checkpoint.step == before : checkpoint.isBest) {
            chosen = row;
        }
    }
    if (hasAny) {
        m_table->selectRow(chosen);
    }
    m_export->setEnabled(hasAny);
    const QString fixed = snapshot.changeHindrance(&run);
    setHindrance(m_startFrom, fixed,
                 tr("A new run of the open experiment that begins with the weights of this "
                    "checkpoint"));
    m_startFrom->setEnabled(hasAny && fixed.isEmpty());
}

qint64 RunCheckpoints::selectedStep() const
{
    const QModelIndex current = m_table->currentIndex();
    const CheckpointRow* row = m_model.checkpoint(current.row());
    return current.isValid() && row ? row->step : -1;
}

} // namespace cannery::ui
