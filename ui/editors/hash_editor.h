// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/hashed_facts.h"

#include <QWidget>

class QComboBox;
class QSortFilterProxyModel;

namespace cannery::ui {

class Button;
class HashedValuesModel;
class Label;
class TableView;

/// How many values, or combinations of a cross, are hashed into how many buckets: the share of
/// them that share a bucket, as expected and as observed in the training rows, and the values that
/// occur, with the label for each. Shows what it is given, and emits what the user asks for. GUI
/// thread.
class HashEditor : public QWidget
{
    Q_OBJECT

public:
    explicit HashEditor(QWidget* parent = nullptr);

    /// `values`: how many there can be; 0 if unknown.
    void setSize(double values, double buckets, bool areCombinations);
    /// Null if not counted yet, or if counted for other inputs or buckets.
    void setObserved(const HashedFacts* observed);

Q_SIGNALS:
    void bucketsRequested(int buckets);

private:
    void makeTable();
    void refresh();
    QString expectation(double values) const;
    QString observation() const;

    double m_values = 0;
    double m_buckets = 0;
    bool m_areCombinations = false;
    HashedFacts m_observed; ///< without a column: none
    int m_suggested = 0;
    HashedValuesModel* m_model;
    QSortFilterProxyModel* m_sorted;
    Label* m_expected;
    Label* m_seen;
    Label* m_title;
    Button* m_more;
    QComboBox* m_targets;
    TableView* m_table;
};

} // namespace cannery::ui
