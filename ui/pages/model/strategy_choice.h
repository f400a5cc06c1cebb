// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

namespace cannery::ui {

class FieldForm;
class Label;
class ProjectSession;
class TileGallery;
struct FieldNode;

/// The distribution strategies of the schema as tiles, the arguments of the chosen one, and what it
/// does on this machine.
class StrategyChoice : public QWidget
{
    Q_OBJECT

public:
    explicit StrategyChoice(ProjectSession& session, QWidget* parent = nullptr);

    void refresh();

private:
    void choose(const QString& name);
    void refreshTiles(const QString& current);
    void rebuildForm(const QString& kind);
    QString whatItDoes(const FieldNode& kind) const;

    ProjectSession* m_session;
    TileGallery* m_tiles;
    Label* m_words;
    FieldForm* m_form = nullptr; ///< of the chosen strategy; null: it has no arguments
    QString m_formOf;
    FieldForm* m_common; ///< of what all strategies have
};

} // namespace cannery::ui
