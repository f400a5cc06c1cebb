// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

namespace cannery::ui {

class BucketPlot;

/// One boundary of a BucketPlot: a line with a handle, a slider for assistive technology.
class BucketDivider : public QWidget
{
    Q_OBJECT

public:
    BucketDivider(int index, BucketPlot* plot);

    /// Below the bars, in pixels.
    static int handleHeight();
    int index() const { return m_index; }
    BucketPlot& plot() const { return *m_plot; }
    double value() const;
    /// Follows the plot's boundaries.
    void setNames();

protected:
    /// Delete is not the window's while a divider has the focus.
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    int m_index;
    BucketPlot* m_plot;
    double m_grip = 0; ///< where the mouse holds it, pixels from its middle
};

} // namespace cannery::ui
