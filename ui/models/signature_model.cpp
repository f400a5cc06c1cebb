// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/signature_model.h"

namespace cannery::ui {

void SignatureModel::setSignature(const SignatureFacts& signature)
{
    beginResetModel();
    m_signature = signature;
    endResetModel();
}

int SignatureModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid()
               ? 0
               : static_cast<int>(m_signature.inputs.size() + m_signature.outputs.size());
}

int SignatureModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SignatureModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) {
        return {};
    }
    const qsizetype inputs = m_signature.inputs.size();
    const bool isInput = index.row() < inputs;
    const TensorFacts& tensor =
        isInput ? m_signature.inputs[index.row()] : m_signature.outputs[index.row() - inputs];
    switch (index.column()) {
    case DirectionColumn:
        return isInput ? tr("input") : tr("output");
    case NameColumn:
        return tensor.name;
    case TypeColumn:
        return tensor.type;
    default:
        return tensor.shape;
    }
}

QVariant SignatureModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return int(Qt::AlignLeft | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case DirectionColumn:
        return QString();
    case NameColumn:
        return tr("Tensor");
    case TypeColumn:
        return tr("Type");
    default:
        return tr("Shape");
    }
}

} // namespace cannery::ui
