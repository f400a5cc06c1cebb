// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/data_edits.h"

#include <QList>
#include <QWidget>

namespace cannery::ui {

class DropTile;
class ProjectSession;

/// What columns of the table are the label, the weight and the key of a row: those that are dropped
/// there become it, as one step of the document. GUI thread.
class ColumnRoles : public QWidget
{
    Q_OBJECT

public:
    explicit ColumnRoles(ProjectSession& session, QWidget* parent = nullptr);

private:
    void refresh();

    struct Tile
    {
        ColumnUse use;
        DropTile* tile;
    };

    ProjectSession* m_session;
    QList<Tile> m_tiles;
};

} // namespace cannery::ui
