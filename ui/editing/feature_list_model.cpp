// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/feature_list_model.h"

#include "ui/models/formats.h"

#include <QMimeData>

#include <algorithm>

namespace cannery::ui {

namespace {

/// "age → buckets 6 16 25": for screen readers and copying.
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

Qt::ItemFlags FeatureListModel::flags(const QModelIndex& index) const
{
    return TableModel::flags(index) |
           (index.isValid() ? Qt::ItemIsDragEnabled : Qt::ItemFlags(Qt::NoItemFlags));
}

QString FeatureListModel::mimeType()
{
    return QStringLiteral("application/x-cannery-feature-column");
}

QMimeData* FeatureListModel::mimeData(const QModelIndexList& indexes) const
{
    const FeatureFacts* feature = indexes.isEmpty() ? nullptr : at(indexes.first().row());
    if (!feature) {
        return nullptr;
    }
    auto* data = new QMimeData;
    data->setData(mimeType(), feature->name.toUtf8());
    return data;
}

bool FeatureListModel::isNumber(int column) const
{
    return column == WidthColumn || column == ParametersColumn;
}

QVariant FeatureListModel::cell(int row, int column, int role) const
{
    const FeatureFacts& feature = m_features.at(row);
    if (role == Qt::ToolTipRole) {
        return feature.name + ": " + feature.help;
    }
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) {
        return {};
    }
    switch (column) {
    case FeatureColumn:
        return sentenceOf(feature);
    case WidthColumn:
        return countText(feature.width);
    case ParametersColumn:
        return countText(feature.parameters);
    default:
        return sideWord(feature.side);
    }
}

QVariant FeatureListModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
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
