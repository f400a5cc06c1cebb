// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/feature_facts.h"
#include "ui/widgets/table_view.h"

namespace cannery::ui {

class FeatureListModel;

/// The list of feature columns. Rows are dragged to another place in it, or elsewhere by their name
/// (FeatureListModel::mimeType()); columns of the table are dropped onto it. Every drag has keys,
/// too. It only asks for changes. GUI thread.
class FeatureTable : public TableView
{
    Q_OBJECT

public:
    /// The model must outlive it.
    explicit FeatureTable(FeatureListModel* model, QWidget* parent = nullptr);

    /// The selected feature column, or null.
    const FeatureFacts* current() const;

Q_SIGNALS:
    /// A column of the table was dropped.
    void columnDropped(const QString& column);
    /// To the place of another feature column; to the end if it is empty.
    void placeRequested(const QString& name, const QString& before);
    /// One up or down.
    void stepRequested(const QString& name, int by);
    void removeRequested(const QString& name);
    void renameRequested();
    /// The sides that use a feature column, at its cell.
    void useRequested(const QModelIndex& index);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void fitColumns();
    bool takes(const QDropEvent& event) const;
    /// The row that something dropped there is put before; the number of rows: after the last.
    int rowAt(const QPoint& position) const;
    void showPlace(int row);
    void scrollAtEdges(const QPoint& position);

    FeatureListModel* m_features;
    int m_place = -1; ///< where a dragged row would be put; −1: none is dragged
};

} // namespace cannery::ui
