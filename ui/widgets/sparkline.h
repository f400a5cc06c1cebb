// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QColor>
#include <QList>
#include <QRectF>
#include <QWidget>

namespace cannery::ui {

/// A tiny curve without axes.
class Sparkline : public QWidget
{
    Q_OBJECT

public:
    explicit Sparkline(QWidget* parent = nullptr);

    void setValues(const QList<double>& values);
    /// 0 to 15; the accent colour if negative.
    void setColourSlot(int slot);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QList<double> m_values;
    int m_slot = -1;
};

/// Paints a sparkline for delegates. Non-finite values are gaps.
void paintSparkline(QPainter& painter, const QRectF& where, const QList<double>& values,
                    const QColor& colour);

} // namespace cannery::ui
