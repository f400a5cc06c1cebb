// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/signature_model.h"

namespace cannery::ui {

void SignatureModel::setSignature(const SignatureFacts& signature)
{
    beginResetModel();
    m_signature = signature;
    endResetModel();
}

QVariant SignatureModel::cell(int row, int column, int role) const
{
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
        return {};
    }
    const qsizetype inputs = m_signature.inputs.size();
    const bool isInput = row < inputs;
    const TensorFacts& tensor =
        isInput ? m_signature.inputs[row] : m_signature.outputs[row - inputs];
    switch (column) {
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

QVariant SignatureModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
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
