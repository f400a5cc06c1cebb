// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/network_outline.h"

#include <QList>
#include <QPointF>

namespace cannery::ui {

/// Where the layers of a network are drawn, in rows from its inputs down and in columns around the
/// middle, and the way of each connection around the layers of the rows that it passes. A layer is
/// one row below the last of its inputs (Sugiyama et al. 1981: rows, then an order by the mean
/// place of the neighbours). The same network is always drawn alike.
struct NetworkMap
{
    struct Connection
    {
        int from = 0;
        int to = 0;
        QList<QPointF> way; ///< column and row from one layer to the other, both included
    };

    QList<QPointF> places; ///< by layer: column (0 in the middle) and row
    QList<Connection> connections;
    int rows = 0;
    double columns = 0; ///< of the widest row
};

NetworkMap mapOf(const NetworkOutline& outline);

} // namespace cannery::ui
