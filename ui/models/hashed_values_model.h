// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/hashed_facts.h"
#include "ui/models/tables/table_model.h"

namespace cannery::ui {

/// The most frequent values of a hashed or crossed column: how often each occurs, the label in its
/// rows, and its bucket with the other values in it. The view sorts it. GUI thread.
class HashedValuesModel : public TableModel
{
    Q_OBJECT

public:
    enum Column
    {
        Values,
        Count,
        Label,
        Bucket,
        ColumnCount,
    };
    enum Role
    {
        SortRole = Qt::UserRole,
        ShareRole,  ///< of the label cell: the share, 0 to 1; invalid: none
        SharedRole, ///< whether the value shares its bucket
    };

    using TableModel::TableModel;

    void setFacts(const HashedFacts& facts);
    const HashedFacts& facts() const { return m_facts; }
    /// Chooses which of the label's targets is shown.
    void setTarget(int target);

    /// "Share of survived = 1 in each": what the label's column shows; empty without a label.
    QString labelTitle() const;

    /// "female × First"; "(none)" for a missing value.
    static QString textOf(const HashedValueFacts& value);

protected:
    qsizetype countRows() const override { return m_facts.values.size(); }
    qsizetype countColumns() const override { return ColumnCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override { return column != Values; }

private:
    QVariant label(const HashedValueFacts& value) const;
    QString labelText(const HashedValueFacts& value) const;
    QString neighbours(const HashedValueFacts& value) const;

    HashedFacts m_facts;
    int m_target = 0;
};

} // namespace cannery::ui
