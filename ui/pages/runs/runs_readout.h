// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/readout_model.h"

#include <QWidget>

class QSortFilterProxyModel;

namespace cannery::ui {

class Button;
class ElidedLabel;
class IconButton;
class Label;
class TableView;

/// The docked table of the values at the cursor, instead of floating tooltips: it can be sorted,
/// pinned, copied and saved as CSV.
class RunsReadout : public QWidget
{
    Q_OBJECT

public:
    explicit RunsReadout(QWidget* parent = nullptr);

    ReadoutModel& model() { return m_model; }
    TableView& table() { return *m_table; }
    /// "At step 5,000" and what is read there; empty texts without a cursor.
    void setPlace(const QString& place, const QString& what);
    void copy() const;

Q_SIGNALS:
    void previousPointRequested();
    void nextPointRequested();
    void csvRequested(const QByteArray& csv);

private:
    /// In view order: the selected rows, or all.
    QList<int> wantedRows() const;
    void updateButtons();

    ReadoutModel m_model;
    QSortFilterProxyModel* m_sorted;
    Label* m_place;
    ElidedLabel* m_what;
    IconButton* m_previous;
    IconButton* m_next;
    Button* m_pin;
    Button* m_copy;
    Button* m_csv;
    TableView* m_table;
};

} // namespace cannery::ui
