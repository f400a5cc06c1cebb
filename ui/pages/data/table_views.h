// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

class QStackedWidget;

namespace cannery::ui {

class BrowsedTable;
class ComponentsView;
class ProjectSession;
class Segmented;

/// The training table in one of two views: its rows, or the principal components of its numeric
/// columns. GUI thread.
class TableViews : public QWidget
{
    Q_OBJECT

public:
    enum View
    {
        Rows,
        Components,
    };

    explicit TableViews(ProjectSession& session, QWidget* parent = nullptr);

    BrowsedTable& rows() { return *m_rows; }
    ComponentsView& components() { return *m_components; }
    View view() const;
    void setView(View view);

private:
    void showView(View view);

    Segmented* m_choice;
    BrowsedTable* m_rows;
    ComponentsView* m_components;
    QStackedWidget* m_stack;
};

} // namespace cannery::ui
