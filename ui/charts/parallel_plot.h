// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/parameter_study.h"

#include <QGraphicsView>

class QCategoryAxis;
class QChart;

namespace cannery::ui {

class PaintedItem;

/// Parallel coordinates: an upright axis for each parameter in which runs differ, the last for
/// their metric, and each run a line from axis to axis in its colour. The line under the pointer is
/// emphasised and its values are named in a tooltip. A QChart has the names of the axes; the lines
/// and the values along the axes are one item in it. GUI thread.
class ParallelPlot : public QGraphicsView
{
    Q_OBJECT

public:
    explicit ParallelPlot(QWidget* parent = nullptr);

    void setStudy(const ParameterStudy& study);
    const ParameterStudy& study() const { return m_study; }
    /// Draws this run's line above the others; empty: none.
    void setEmphasis(const QString& run);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The run whose line is under the pointer; empty: none.
    void runHovered(const QString& run);

protected:
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void layOut();
    bool showValues(const QPoint& where, const QPoint& onScreen);
    void paintStudy(QPainter& painter) const;
    QRectF area() const;
    double xOf(qsizetype axis) const;
    /// The parts of a run's line; it is interrupted where the run has no value.
    QList<QLineF> segmentsOf(const StudyLine& line) const;
    const StudyLine* lineAt(const QPointF& where) const;
    void paintAxis(QPainter& painter, qsizetype index) const;
    void paintLine(QPainter& painter, const StudyLine& line, bool isFaint) const;

    ParameterStudy m_study;
    QString m_emphasis;
    QChart* m_chart;        ///< owned by the scene
    QCategoryAxis* m_names; ///< owned by the chart
    PaintedItem* m_lines;   ///< owned by the chart
};

} // namespace cannery::ui
