// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

namespace cannery::ui {

class Label;
class ProjectSession;
class TileGallery;

/// The distribution strategies of the schema as tiles, and what the chosen one does on this
/// machine.
class StrategyChoice : public QWidget
{
    Q_OBJECT

public:
    explicit StrategyChoice(ProjectSession& session, QWidget* parent = nullptr);

    void refresh();

private:
    ProjectSession* m_session;
    TileGallery* m_tiles;
    Label* m_words;
};

} // namespace cannery::ui
