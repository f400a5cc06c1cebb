// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/experiment_facts.h"

#include <QAbstractTableModel>

namespace cannery::ui {

/// The feature columns of an experiment, plain ones first, then crosses. GUI thread.
class FeatureListModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column
    {
        FeatureColumn,
        WidthColumn,
        ParametersColumn,
        SideColumn,
        ColumnCount,
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setFeatures(const QList<FeatureFacts>& features);
    const FeatureFacts* at(int row) const;
    int rowOf(const QString& name) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// "wide", "deep", "wide and deep", "in others", "unused".
    static QString sideWord(FeatureSide side);

private:
    QList<FeatureFacts> m_features;
};

} // namespace cannery::ui
