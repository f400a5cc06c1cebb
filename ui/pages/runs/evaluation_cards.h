// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/evaluation_table_model.h"

#include <QWidget>

class QVBoxLayout;

namespace cannery::ui {

/// The tables of a run's evaluation, each in a card: sortable by every column. Hidden without any.
class EvaluationCards : public QWidget
{
    Q_OBJECT

public:
    explicit EvaluationCards(QWidget* parent = nullptr);

    /// Tables that are already shown keep their order and place.
    void setTables(const QList<EvaluationTable>& tables);

private:
    QWidget* cardOf(const EvaluationTable& table, int number);

    QVBoxLayout* m_column;
    QList<EvaluationTable> m_tables;
};

} // namespace cannery::ui
