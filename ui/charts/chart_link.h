#pragma once

#include "ui/models/chart_options.h"

#include <QObject>

#include <optional>

namespace cannery::ui {

/// Cursor and x range that several cards share. GUI thread.
class ChartLink : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    std::optional<double> cursor() const { return m_cursor; }
    void setCursor(std::optional<double> x);
    std::optional<AxisLimits> xLimits() const { return m_xLimits; }
    void setXLimits(std::optional<AxisLimits> limits);

Q_SIGNALS:
    void cursorChanged();
    void xLimitsChanged();

private:
    std::optional<double> m_cursor;
    std::optional<AxisLimits> m_xLimits;
};

} // namespace cannery::ui
