// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/curve_data.h"

#include <QPointF>

#include <vector>

namespace cannery::ui {

/// What a pixel column shows of a curve: the extremes, and the values of its first and last point
/// (NaN if they were not looked up or are not finite).
struct ColumnSpan
{
    int column = 0;
    float first = 0;
    float low = 0;
    float high = 0;
    float last = 0;
    bool afterGap = false; ///< not joined to the span before it
};

/// A stretch of a curve prepared for `columns` pixel columns. Few points are kept as they are (x in
/// pixel columns, y a value; a NaN y breaks the line), many become one span per column, which is
/// drawn with two vertices and loses no extreme.
struct ReducedCurve
{
    bool isDense = false;
    std::vector<QPointF> points;
    std::vector<ColumnSpan> spans;
};

struct ReduceRequest
{
    const XColumn* x = nullptr;
    YColumn y;
    IndexRange range;
    AxisScale scale;
    int columns = 0;
};

/// Reduces points [begin, end) of a segment. Dense with more points than columns. If a column has
/// more than 256 points, its edge may be off by up to a sixteenth of a column, so that whole blocks
/// of the pyramid can be used.
ReducedCurve reduceCurve(const ReduceRequest& request);

} // namespace cannery::ui
