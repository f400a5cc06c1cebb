// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/export_facts.h"

#include <QAbstractTableModel>

namespace cannery::ui {

/// The tensors of one serving signature, inputs before outputs. GUI thread.
class SignatureModel : public QAbstractTableModel
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

    using QAbstractTableModel::QAbstractTableModel;

    void setSignature(const SignatureFacts& signature);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    SignatureFacts m_signature;
};

} // namespace cannery::ui
