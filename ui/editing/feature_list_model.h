// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/experiment_facts.h"
#include "ui/models/tables/table_model.h"

namespace cannery::ui {

/// The feature columns of an experiment, plain ones first, then crosses. GUI thread.
class FeatureListModel : public TableModel
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

    using TableModel::TableModel;

    void setFeatures(const QList<FeatureFacts>& features);
    const FeatureFacts* at(int row) const;
    int rowOf(const QString& name) const;

    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QStringList mimeTypes() const override { return {mimeType()}; }
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    Qt::DropActions supportedDragActions() const override
    {
        return Qt::MoveAction | Qt::CopyAction;
    }
    /// What a dragged feature column carries: its name in UTF-8.
    static QString mimeType();

    /// "wide", "deep", "wide and deep", "in others", "unused".
    static QString sideWord(FeatureSide side);

protected:
    qsizetype countRows() const override { return m_features.size(); }
    qsizetype countColumns() const override { return ColumnCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override;

private:
    QList<FeatureFacts> m_features;
};

} // namespace cannery::ui
