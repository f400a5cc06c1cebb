// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/bucket_boundaries.h"

#include <QList>
#include <QWidget>

namespace cannery::ui {

class BucketDivider;

/// A histogram with a divider at each boundary. Dividers are dragged with the mouse, chosen with
/// Tab, Up and Down, moved with Left and Right (ten times as far with Shift), removed with Delete;
/// a double-click or Insert adds one. The boundaries always increase strictly. GUI thread.
class BucketPlot : public QWidget
{
    Q_OBJECT

public:
    explicit BucketPlot(QWidget* parent = nullptr);

    /// Bars are drawn if the distribution is known; without it the range is that of the boundaries.
    void setNumbers(const NumberDistribution& numbers);
    const NumberDistribution& numbers() const { return m_numbers; }
    /// Must increase strictly; others are ignored.
    void setBoundaries(const QList<double>& boundaries);
    const QList<double>& boundaries() const { return m_boundaries; }

    /// The place of a value in this widget, in pixels from the left, and back.
    double xOf(double value) const;
    double valueAt(double x) const;
    double step() const { return boundaryStep(m_numbers); }

    /// Moves a boundary as far as its neighbours allow.
    void moveTo(int index, double value);
    /// One step, or ten, as a key does.
    void nudge(int index, int steps);
    void remove(int index);
    /// Adds a boundary at a value; nothing if there is one already.
    void insert(double value);
    /// In the middle of the bucket that begins at this boundary; −1: in the middle of the first.
    void insertAfter(int index);
    void choose(int index);
    void finishDrag();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// While a divider is dragged.
    void dragged(const QList<double>& boundaries);
    /// After an edit; `typing`: one of several in a row that make one.
    void changed(const QList<double>& boundaries, bool typing);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool place(int index, double value);
    void rebuild();
    void layOut();
    double low() const;
    double high() const;
    QRectF area() const;
    void paintBars(QPainter& painter) const;
    void paintLabels(QPainter& painter) const;

    NumberDistribution m_numbers;
    QList<double> m_boundaries;
    QList<BucketDivider*> m_dividers;
    bool m_wasDragged = false;
};

} // namespace cannery::ui
