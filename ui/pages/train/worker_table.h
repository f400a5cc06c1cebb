// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/worker_table_model.h"

#include <QWidget>

namespace cannery::ui {

class Label;
class TableView;

/// The tasks of the cluster that trains the run shown, while it trains; hidden otherwise.
class WorkerTable : public QWidget
{
    Q_OBJECT

public:
    explicit WorkerTable(QWidget* parent = nullptr);

    void setWorkers(const QList<WorkerRow>& workers);

private:
    void fit();

    WorkerTableModel m_model;
    Label* m_words;
    TableView* m_table;
};

} // namespace cannery::ui
