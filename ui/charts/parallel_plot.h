// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/parameter_study.h"

#include <QWidget>

namespace cannery::ui {

/// Parallel coordinates: an upright axis for each parameter in which runs differ, the last for
/// their metric, and each run a line from axis to axis in its colour. The line under the pointer is
/// emphasised and its values are named in a tooltip. GUI thread.
class ParallelPlot : public QWidget
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
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    QRectF area() const;
    double xOf(qsizetype axis) const;
    /// The parts of a run's line; it is interrupted where the run has no value.
    QList<QLineF> segmentsOf(const StudyLine& line) const;
    const StudyLine* lineAt(const QPointF& where) const;
    void paintAxis(QPainter& painter, qsizetype index) const;
    void paintLine(QPainter& painter, const StudyLine& line, bool isFaint) const;

    ParameterStudy m_study;
    QString m_emphasis;
};

} // namespace cannery::ui
