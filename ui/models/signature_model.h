// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/export_facts.h"
#include "ui/models/tables/table_model.h"

namespace cannery::ui {

/// The tensors of one serving signature, inputs before outputs. GUI thread.
class SignatureModel : public TableModel
{
    Q_OBJECT

public:
    enum Column
    {
        DirectionColumn,
        NameColumn,
        TypeColumn,
        ShapeColumn,
        ColumnCount,
    };

    using TableModel::TableModel;

    void setSignature(const SignatureFacts& signature);

protected:
    qsizetype countRows() const override
    {
        return m_signature.inputs.size() + m_signature.outputs.size();
    }
    qsizetype countColumns() const override { return ColumnCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;

private:
    SignatureFacts m_signature;
};

} // namespace cannery::ui
