// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/curves/curve_reducer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::ui {
namespace {

constexpr qsizetype kWideColumn = 64;
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

/// First index of [from, end) whose x is at least `x`, guessed to be `stride` after `from`: steps
/// are mostly even, and a right guess costs two accesses instead of twenty.
qsizetype edgeAfter(const XColumn& column, qsizetype from, qsizetype end, double x,
                    qsizetype stride)
{
    qsizetype low = from;
    qsizetype high = std::min(end, from + std::max<qsizetype>(stride, 1));
    qsizetype reach = std::max<qsizetype>(stride / 16, 1);
    if (high < end && column[high] < x) {
        do {
            low = high;
            high = std::min(end, high + reach);
            reach *= 4;
        } while (high < end && column[high] < x);
    } else {
        qsizetype probe = high;
        while (probe > low && column[probe - 1] >= x) {
            high = probe - 1;
            probe = std::max(low, probe - reach);
            reach *= 4;
        }
        low = probe;
    }
    return column.lowerBound(low, high, x);
}

/// The edge, moved to the border of blocks much smaller than the column.
qsizetype snapped(qsizetype begin, qsizetype edge, qsizetype end)
{
    if (edge >= end) {
        return edge;
    }
    qsizetype block = 1;
    // A block of the pyramid has 16 times the one below it. An edge moves by a sixteenth of the
    // column at most.
    while (block * 256 <= edge - begin) {
        block *= 16;
    }
    const qsizetype moved = edge / block * block;
    return moved > begin ? moved : edge;
}

ReducedCurve allPoints(const ReduceRequest& request)
{
    ReducedCurve reduced;
    reduced.points.reserve(size_t(request.range.size()));
    for (qsizetype i = request.range.begin; i < request.range.end; ++i) {
        const double x = (*request.x)[i];
        // No place on a logarithmic axis.
        if (request.scale.isLog() && x <= 0) {
            continue;
        }
        reduced.points.emplace_back(request.scale.toPosition(x) * request.columns,
                                    double(request.y.values[size_t(i)]));
    }
    return reduced;
}

} // namespace

ReducedCurve reduceCurve(const ReduceRequest& request)
{
    // Fewer points than columns: each is drawn as it is.
    if (request.range.size() <= qsizetype(request.columns)) {
        return allPoints(request);
    }
    const XColumn& x = *request.x;
    ReducedCurve reduced;
    reduced.isDense = true;
    reduced.spans.reserve(size_t(request.columns) + 2);
    qsizetype begin = request.range.begin;
    if (request.scale.isLog()) {
        begin = x.upperBound(begin, request.range.end, 0);
    }
    // One before the first that can occur, -1.
    int column = -2;
    qsizetype stride = 1;
    bool afterGap = true;
    while (begin < request.range.end) {
        const double position = request.scale.toPosition(x[begin]) * request.columns;
        // The points just outside the picture belong to the adjacent columns.
        const int own = int(std::clamp(std::floor(position), -1.0, double(request.columns)));
        column = std::max(column + 1, own);
        qsizetype end = request.range.end;
        if (column < request.columns) {
            const double edge = request.scale.toValue(double(column + 1) / request.columns);
            end = edgeAfter(x, begin, request.range.end, edge, stride);
            end = std::max(snapped(begin, end, request.range.end), begin + 1);
        }
        stride = end - begin;
        // A million points do not fit into a cache: prefetch what the column after next needs.
        if (stride > kWideColumn && end + 2 * stride + kWideColumn < request.range.end) {
            x.prefetch(end + 2 * stride);
            request.y.pyramid->prefetch(end + 2 * stride);
        }
        const MinMaxPyramid::Extremes extremes = request.y.extremes(begin, end);
        if (extremes.empty) {
            afterGap = true;
        } else {
            // The ends of a wide column are far apart in memory, and within its extremes anyway.
            const bool isWide = end - begin > kWideColumn;
            reduced.spans.push_back({.column = column,
                                     .first = isWide ? kUnknown : request.y.values[size_t(begin)],
                                     .low = extremes.min,
                                     .high = extremes.max,
                                     .last = isWide ? kUnknown : request.y.values[size_t(end - 1)],
                                     .afterGap = afterGap});
            afterGap = false;
        }
        begin = end;
        if (column >= request.columns) {
            break;
        }
    }
    return reduced;
}

} // namespace cannery::ui
