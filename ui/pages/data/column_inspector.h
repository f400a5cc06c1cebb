// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/column_facts.h"

#include <QWidget>

namespace cannery::ui {

class HistogramView;
class KeyValueList;
class Label;

/// Everything known about one column, next to the table; of several, which they are.
class ColumnInspector : public QWidget
{
    Q_OBJECT

public:
    explicit ColumnInspector(QWidget* parent = nullptr);

    void setColumns(const DataFacts& facts, const QStringList& columns);

private:
    QWidget* m_icon;
    Label* m_name;
    Label* m_reason;
    HistogramView* m_histogram;
    KeyValueList* m_numbers;
};

} // namespace cannery::ui
