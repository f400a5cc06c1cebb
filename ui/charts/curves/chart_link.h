// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/chart_options.h"

#include <QObject>

#include <optional>

namespace cannery::ui {

/// Cursor and x range shared by several cards, in units of one x axis; cards with another axis are
/// not affected. GUI thread.
class ChartLink : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    XAxis axis() const { return m_axis; }
    /// A change of the axis resets cursor and range, whose units have changed.
    void setAxis(XAxis axis);

    std::optional<double> cursor() const { return m_cursor; }
    void setCursor(std::optional<double> x);
    std::optional<AxisLimits> xLimits() const { return m_xLimits; }
    void setXLimits(std::optional<AxisLimits> limits);

Q_SIGNALS:
    void axisChanged();
    void cursorChanged();
    void xLimitsChanged();

private:
    XAxis m_axis = XAxis::Step;
    std::optional<double> m_cursor;
    std::optional<AxisLimits> m_xLimits;
};

} // namespace cannery::ui
