// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_link.h"

namespace cannery::ui {

void ChartLink::setAxis(XAxis axis)
{
    if (axis == m_axis) {
        return;
    }
    m_axis = axis;
    m_cursor.reset();
    m_xLimits.reset();
    Q_EMIT axisChanged();
    Q_EMIT cursorChanged();
    Q_EMIT xLimitsChanged();
}

void ChartLink::setCursor(std::optional<double> x)
{
    if (x != m_cursor) {
        m_cursor = x;
        Q_EMIT cursorChanged();
    }
}

void ChartLink::setXLimits(std::optional<AxisLimits> limits)
{
    if (limits != m_xLimits) {
        m_xLimits = limits;
        Q_EMIT xLimitsChanged();
    }
}

} // namespace cannery::ui
