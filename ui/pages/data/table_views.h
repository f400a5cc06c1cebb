// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

class QStackedWidget;

namespace cannery::ui {

class BrowsedTable;
class ComponentsView;
class PictureGrid;
class PictureRowsModel;
class ProjectSession;
class Segmented;

/// The training table in one of three views: its rows, the principal components of its numeric
/// columns, or, of a folder of pictures, the pictures. GUI thread.
class TableViews : public QWidget
{
    Q_OBJECT

public:
    enum View
    {
        Rows,
        Components,
        Pictures, ///< only if the table is a folder of them
    };

    explicit TableViews(ProjectSession& session, QWidget* parent = nullptr);

    BrowsedTable& rows() { return *m_rows; }
    ComponentsView& components() { return *m_components; }
    View view() const;
    void setView(View view);
    /// Where the pictures of the rows are; empty if the rows are none.
    void setPictures(const QString& folder);

private:
    void showView(View view);

    Segmented* m_choice;
    View m_wanted = Rows; ///< once there are pictures
    BrowsedTable* m_rows;
    ComponentsView* m_components;
    PictureRowsModel* m_pictureRows;
    PictureGrid* m_pictures;
    QStackedWidget* m_stack;
};

} // namespace cannery::ui
