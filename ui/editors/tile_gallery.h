// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editors/topology_sketch.h"

#include <QList>
#include <QString>
#include <QWidget>

#include <optional>

class QPainter;

namespace cannery::ui {

class FlowLayout;

/// A choice as tiles: a sketch, a title and a sentence each. One Tab stop; arrows move between the
/// tiles, Space or Enter chooses. A tile that cannot be chosen stays visible with the reason.
class TileGallery : public QWidget
{
    Q_OBJECT

public:
    enum class Sketch
    {
        Average, ///< a level line
        Line,    ///< a line through points
        Network,
        Both,   ///< a network with a line past it
        Trees,  ///< a binary tree
        Groups, ///< points around their centers
        Steps,  ///< a chain of cells, each with an input
        Device,
    };

    struct Tile
    {
        QString id;
        QString title;
        QString sentence;
        QString details;   ///< under the sentence, fainter; may be empty
        QString hindrance; ///< why it cannot be chosen; empty if it can
        QString help;      ///< the tooltip
        Sketch sketch = Sketch::Network;
        std::optional<Topology> topology = std::nullopt; ///< drawn instead of the sketch

        bool operator==(const Tile&) const = default;
    };

    /// Tiles are at least `width` design pixels wide.
    explicit TileGallery(int width, QWidget* parent = nullptr);

    void setTiles(const QList<Tile>& tiles);
    void setCurrent(const QString& id);

    /// From now on only the tile of the choice stays, as one row; pressing it shows all again, a
    /// choice or Escape folds them. Without a choice all are shown.
    void setFolding();
    bool canFold() const;
    bool isOpen() const;
    void setOpen(bool isOpen);

    /// Draws a sketch within a rectangle; one of the tiles is about 52 by 30 design pixels.
    static void paintSketch(QPainter& painter, Sketch sketch, const QRectF& where,
                            const QColor& colour);

Q_SIGNALS:
    void chosen(const QString& id);
    void openChanged(bool isOpen);

private:
    class Face;

    void press(Face* face);
    bool hasCurrent() const;
    void move(Face* from, int by);
    void refresh();

    FlowLayout* m_flow;
    QList<Tile> m_tiles;
    QList<Face*> m_faces;
    QString m_current;
    bool m_folds = false;
    bool m_wantsOpen = true;
    bool m_wasOpen = true;
};

} // namespace cannery::ui
