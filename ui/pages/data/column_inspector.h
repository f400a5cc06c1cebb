// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/column_facts.h"

#include <QWidget>

namespace cannery::ui {

class HistogramView;
class KeyValueList;
class Label;

/// Everything known about one column, next to the table.
class ColumnInspector : public QWidget
{
    Q_OBJECT

public:
    explicit ColumnInspector(QWidget* parent = nullptr);

    void setColumn(const DataFacts& facts, const QString& column);

private:
    QWidget* m_icon;
    Label* m_name;
    Label* m_reason;
    HistogramView* m_histogram;
    KeyValueList* m_numbers;
};

} // namespace cannery::ui
