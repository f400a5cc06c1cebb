// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/graph_outline.h"

#include <QRectF>
#include <QSet>
#include <QSizeF>

#include <functional>
#include <vector>

namespace cannery::ui {

/// A scope or an operation that is drawn.
struct GraphBox
{
    int item = 0;
    QRectF place;
    bool isOpen = false; ///< a scope whose content is drawn in it
    int hidden = 0;      ///< how many of its children there was no room for
};

/// A line from one box to another.
struct GraphLine
{
    QPointF from;
    QPointF to;
    int count = 1;
};

struct GraphDrawing
{
    std::vector<GraphBox> boxes; ///< outer ones before inner ones
    std::vector<GraphLine> lines;
    QSizeF size;
    int hidden = 0; ///< of the root's children

    const GraphBox* box(int item) const;
    /// The innermost one at this place; null if there is none.
    const GraphBox* boxAt(const QPointF& place) const;
};

/// Distances in the units of the drawing.
struct GraphMeasures
{
    std::function<QSizeF(int)> sizeOf; ///< of a folded scope or an operation
    double gap = 12;                   ///< between boxes of a column
    double columnGap = 36;
    double padding = 10; ///< in an open scope
    double title = 22;   ///< height of an open scope's title
};

/// The most children of one scope that are drawn; of more, the first ones and those in `open`.
inline constexpr int kMostGraphChildren = 400;

/// What flows goes from left to right, in columns; an open scope is a box around its own columns.
/// Loops are drawn backwards. The time is proportional to what is open. Any thread.
GraphDrawing layOutGraph(const GraphOutline& outline, const QSet<int>& open,
                         const GraphMeasures& measures);

} // namespace cannery::ui
