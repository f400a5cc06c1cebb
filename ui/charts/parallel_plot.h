// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/axis_brushes.h"

#include <QGraphicsView>

#include <optional>

class QCategoryAxis;
class QChart;

namespace cannery::ui {

class PaintedItem;

/// Parallel coordinates: an upright axis for each parameter in which runs differ, the last for
/// their metric, and each run a line from axis to axis in its colour. The line under the pointer is
/// emphasised and its values are named in a tooltip. A drag along an axis marks a part of it and
/// chooses the runs whose lines go through all marked parts; a drag of the part moves it, a click
/// on the axis clears it, a click elsewhere clears all. Keys: left and right choose an axis; up and
/// down mark a half, then move it, with Shift its upper end, with Ctrl its lower one; Delete clears
/// the axis, Escape all. A QChart has the names of the axes; the lines and the values along the
/// axes are one item in it. GUI thread.
class ParallelPlot : public QGraphicsView
{
    Q_OBJECT

public:
    explicit ParallelPlot(QWidget* parent = nullptr);

    void setStudy(const ParameterStudy& study);
    const ParameterStudy& study() const { return m_study; }
    /// Draws this run's line above the others; empty: none.
    void setEmphasis(const QString& run);
    const AxisBrushes& brushes() const { return m_brushes; }
    /// Of the axes, in the viewport: the first at its left edge, the last at its right one.
    QRectF area() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The run whose line is under the pointer; empty: none.
    void runHovered(const QString& run);
    /// Parts were marked or cleared by the user. The chosen runs; empty without a marked part.
    void brushed(const QStringList& runs);

protected:
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    /// Of the pointer, with its left button down.
    struct Drag
    {
        qsizetype axis = -1;
        QPointF from;
        std::optional<AxisPart> moved = std::nullopt; ///< the part where it began
        bool isOne = false;                           ///< otherwise it may still be a click
    };

    void layOut();
    void describe();
    bool showValues(const QPoint& where, const QPoint& onScreen);
    void paintStudy(QPainter& painter) const;
    double xOf(qsizetype axis) const;
    /// The parts of a run's line; it is interrupted where the run has no value.
    QList<QLineF> segmentsOf(const StudyLine& line) const;
    const StudyLine* lineAt(const QPointF& where) const;
    void paintAxis(QPainter& painter, qsizetype index) const;
    void paintBrush(QPainter& painter, qsizetype index) const;
    void paintLine(QPainter& painter, const StudyLine& line, bool isFaint) const;
    qsizetype axisAt(const QPointF& where) const;
    double placeAt(double y) const;
    static AxisPart shifted(const AxisPart& part, double by);
    void drag(double y);
    void brushByKey(int direction, Qt::KeyboardModifiers modifiers);
    void brush(qsizetype axis, const AxisPart& part);
    void clearBrush(qsizetype axis);
    void publishBrushes();

    ParameterStudy m_study;
    AxisBrushes m_brushes;
    std::optional<Drag> m_drag;
    qsizetype m_axis = 0; ///< of the keyboard
    QString m_emphasis;
    QChart* m_chart;        ///< owned by the scene
    QCategoryAxis* m_names; ///< owned by the chart
    PaintedItem* m_lines;   ///< owned by the chart
};

} // namespace cannery::ui
