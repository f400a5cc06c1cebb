// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editors/tile_gallery.h"

#include <QString>
#include <QWidget>

namespace cannery::ui {

class Segmented;
struct PageContext;

/// The estimators of the schema as tiles, by what they predict, folded to one row once one is
/// chosen; choosing another keeps what carries over and reports what does not.
class EstimatorChoice : public QWidget
{
    Q_OBJECT

public:
    explicit EstimatorChoice(const PageContext& context, QWidget* parent = nullptr);

    void refresh();
    /// Shows the tile of an estimator and moves the focus there; false: there is none.
    bool reveal(const QString& estimator);

    /// What an estimator of the schema is made of ("dnn_classifier"), by its arguments.
    static TileGallery::Sketch sketchOf(const QString& estimator);

private:
    enum Task
    {
        Classes,
        Numbers,
        OwnHead,
        NoLabel,
    };

    static Task taskOf(const QString& estimator);
    void showTiles();
    void choose(const QString& estimator);
    void fold();

    const PageContext& m_context;
    QWidget* m_head; ///< above the tiles while they are all shown
    Segmented* m_tasks;
    TileGallery* m_tiles;
    QString m_estimator; ///< the present one
};

} // namespace cannery::ui
