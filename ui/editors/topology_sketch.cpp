// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/topology_sketch.h"

#include "ui/widgets/style/theme.h"

#include <QColor>
#include <QList>
#include <QPainter>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kMostReplicas = 4;
constexpr int kMostServers = 2;
constexpr int kGap = 9;

/// Boxes side by side from the left.
QList<QRectF> boxesOf(int count, const QSizeF& size, double left, double top)
{
    QList<QRectF> boxes;
    for (int i = 0; i < count; ++i) {
        boxes << QRectF(QPointF(left + i * (size.width() + scaled(kGap)), top), size);
    }
    return boxes;
}

/// Filled, but for those behind the first `solid` ones.
void paintBoxes(QPainter& painter, const QList<QRectF>& boxes, int solid, const QColor& colour)
{
    for (int i = 0; i < boxes.size(); ++i) {
        painter.setBrush(i < solid ? QBrush(colour) : QBrush(Qt::NoBrush));
        painter.drawRoundedRect(boxes[i], scaled(3), scaled(3));
    }
    painter.setBrush(Qt::NoBrush);
}

void paintChain(QPainter& painter, const QList<QRectF>& boxes)
{
    for (int i = 1; i < boxes.size(); ++i) {
        painter.drawLine(QPointF(boxes[i - 1].right(), boxes[i].center().y()),
                         QPointF(boxes[i].left(), boxes[i].center().y()));
    }
}

void paintSpokes(QPainter& painter, const QList<QRectF>& from, const QList<QRectF>& to)
{
    for (const QRectF& upper : from) {
        for (const QRectF& lower : to) {
            painter.drawLine(QPointF(upper.center().x(), upper.bottom()),
                             QPointF(lower.center().x(), lower.top()));
        }
    }
}

/// A device in the frame of its machine.
void paintMachines(QPainter& painter, const QList<QRectF>& frames, int solid, const QColor& colour)
{
    const double inset = scaled(4);
    QList<QRectF> devices;
    for (const QRectF& frame : frames) {
        devices << frame.adjusted(inset, inset, -inset, -inset);
    }
    paintBoxes(painter, frames, 0, colour);
    paintBoxes(painter, devices, solid, colour);
}

double widthOf(const QList<QRectF>& boxes)
{
    return boxes.last().right() - boxes.first().left();
}

} // namespace

void paintTopology(QPainter& painter, const Topology& topology, const QRectF& where,
                   const QColor& colour)
{
    using Kind = Topology::Kind;
    const int replicas = std::clamp(topology.replicas, 1, kMostReplicas);
    const int drawn = topology.kind == Kind::Device ? 1 : std::max(2, replicas);
    const QSizeF device(scaled(18), scaled(14));
    const QSizeF store(scaled(18), scaled(7));
    const QSizeF machine(scaled(24), scaled(topology.kind == Kind::Servers ? 16 : 20));
    const double middle = where.center().y();
    painter.setPen(QPen(colour, scaled(6) / 5.0));
    switch (topology.kind) {
    case Kind::Device:
    case Kind::Mirrored: {
        const auto boxes = boxesOf(drawn, device, where.left() + 1, middle - device.height() / 2);
        paintChain(painter, boxes);
        return paintBoxes(painter, boxes, replicas, colour);
    }
    case Kind::Central: {
        const auto boxes =
            boxesOf(drawn, device, where.left() + 1, where.bottom() - 1 - device.height());
        const double left = boxes.first().left() + (widthOf(boxes) - store.width()) / 2;
        const auto stores = boxesOf(1, store, left, where.top() + 1);
        paintSpokes(painter, stores, boxes);
        paintBoxes(painter, stores, 1, colour);
        return paintBoxes(painter, boxes, replicas, colour);
    }
    case Kind::Machines: {
        const auto frames =
            boxesOf(drawn, machine, where.left() + 1, middle - machine.height() / 2);
        paintChain(painter, frames);
        return paintMachines(painter, frames, replicas, colour);
    }
    case Kind::Servers: {
        const int servers = std::clamp(topology.servers, 1, kMostServers);
        const auto frames =
            boxesOf(drawn, machine, where.left() + 1, where.bottom() - 1 - machine.height());
        const double room = servers * store.width() + (servers - 1) * scaled(kGap);
        const double left = frames.first().left() + (widthOf(frames) - room) / 2;
        const auto stores = boxesOf(servers, store, left, where.top() + 1);
        paintSpokes(painter, stores, frames);
        paintBoxes(painter, stores, servers, colour);
        return paintMachines(painter, frames, replicas, colour);
    }
    }
}

} // namespace cannery::ui
