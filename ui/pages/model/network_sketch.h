// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/experiment_facts.h"
#include "ui/editors/tile_gallery.h"

#include <QList>
#include <QString>
#include <QWidget>

#include <optional>

namespace cannery::ui {

/// What the model is made of, as boxes: the wide side in vermilion, the deep side in blue, the head
/// in the accent colour. The wider a layer, the higher its box. Boosted trees, groups and recurrent
/// layers show the sketch of their kind. A custom network has a drawing of its own (network/).
class NetworkSketch : public QWidget
{
    Q_OBJECT

public:
    explicit NetworkSketch(QWidget* parent = nullptr);

    void setFacts(const ExperimentFacts& facts);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Box
    {
        QString title;
        QString detail;
        QString note; ///< in a pill at the bottom edge
        qint64 units = 1;
        std::optional<TileGallery::Sketch> sketch = {}; ///< above the words
    };

    static QList<Box> wideBoxes(const ExperimentFacts& facts);
    static QList<Box> deepBoxes(const ExperimentFacts& facts);
    static QList<Box> treeBoxes(const ExperimentFacts& facts);
    static QList<Box> groupBoxes(const ExperimentFacts& facts);
    static QList<Box> recurrentBoxes(const ExperimentFacts& facts, qint64 inputs);
    /// Paints a row of boxes; returns where its line ends.
    QPointF paintRow(QPainter& painter, const QList<Box>& boxes, const QRectF& where,
                     const QColor& hue) const;
    void paintHead(QPainter& painter, const QRectF& where) const;

    QList<Box> m_wide;
    QList<Box> m_deep;
    QString m_head;
    QString m_label;
};

} // namespace cannery::ui
