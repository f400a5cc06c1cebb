// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/feature_list_model.h"

#include "ui/models/formats.h"

#include <algorithm>

namespace cannery::ui {

namespace {

/// "age → buckets 6 16 25": what a screen reader and a copy say.
QString sentenceOf(const FeatureFacts& feature)
{
    QString text = feature.sources.join(QStringLiteral(" × "));
    for (const FeatureStep& step : feature.steps) {
        text += QStringLiteral(" → ") + step.word;
        if (!step.detail.isEmpty()) {
            text += ' ' + step.detail;
        }
    }
    return text;
}

QString countText(qint64 count)
{
    return count < 0 ? QStringLiteral("–") : formatCount(count);
}

} // namespace

void FeatureListModel::setFeatures(const QList<FeatureFacts>& features)
{
    beginResetModel();
    m_features = features;
    std::stable_partition(m_features.begin(), m_features.end(),
                          [](const FeatureFacts& feature) { return !feature.isCross; });
    endResetModel();
}

const FeatureFacts* FeatureListModel::at(int row) const
{
    return row >= 0 && row < m_features.size() ? &m_features[row] : nullptr;
}

int FeatureListModel::rowOf(const QString& name) const
{
    for (int row = 0; row < m_features.size(); ++row) {
        if (m_features[row].name == name) {
            return row;
        }
    }
    return -1;
}

int FeatureListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_features.size());
}

int FeatureListModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FeatureListModel::data(const QModelIndex& index, int role) const
{
    const FeatureFacts* feature = index.isValid() ? at(index.row()) : nullptr;
    if (!feature) {
        return {};
    }
    if (role == Qt::ToolTipRole) {
        return feature->name + ": " + feature->help;
    }
    if (role == Qt::TextAlignmentRole) {
        return int(Qt::AlignVCenter |
                   (index.column() == FeatureColumn || index.column() == SideColumn
                        ? Qt::AlignLeft
                        : Qt::AlignRight));
    }
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) {
        return {};
    }
    switch (index.column()) {
    case FeatureColumn:
        return sentenceOf(*feature);
    case WidthColumn:
        return countText(feature->width);
    case ParametersColumn:
        return countText(feature->parameters);
    default:
        return sideWord(feature->side);
    }
}

QVariant FeatureListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return int(Qt::AlignVCenter |
                   (section == WidthColumn || section == ParametersColumn ? Qt::AlignRight
                                                                          : Qt::AlignLeft));
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case FeatureColumn:
        return tr("Feature column");
    case WidthColumn:
        return tr("Width");
    case ParametersColumn:
        return tr("Parameters");
    default:
        return tr("Used by");
    }
}

QString FeatureListModel::sideWord(FeatureSide side)
{
    switch (side) {
    case FeatureSide::Wide:
        return tr("wide");
    case FeatureSide::Deep:
        return tr("deep");
    case FeatureSide::Both:
        return tr("wide and deep");
    case FeatureSide::Source:
        return tr("in others");
    default:
        return tr("unused");
    }
}

} // namespace cannery::ui
