// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/plan_facts.h"
#include "ui/models/tables/table_model.h"

namespace cannery::ui {

/// The variables of a model, with their shape here and in the checkpoint of a warm start, and what
/// becomes of each. Those that do not fit come first. GUI thread.
class WarmStartModel : public TableModel
{
    Q_OBJECT

public:
    enum Column
    {
        Variable,
        Here,
        There,
        Outcome,
        ColumnCount,
    };

    using TableModel::TableModel;

    void setFacts(const WarmStartFacts& facts);

    /// "dnn/.* catches 4 variables, linear/.* none."; empty without patterns.
    static QString patternsText(const WarmStartFacts& facts);

protected:
    qsizetype countRows() const override { return m_facts.variables.size(); }
    qsizetype countColumns() const override { return ColumnCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override { return column == Here || column == There; }

private:
    QString text(const WarmStartVariableFacts& variable, int column) const;
    QString tip(const WarmStartVariableFacts& variable) const;

    WarmStartFacts m_facts;
};

} // namespace cannery::ui
