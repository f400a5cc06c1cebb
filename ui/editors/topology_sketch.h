// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QColor;
class QPainter;
class QRectF;

namespace cannery::ui {

/// Which devices and machines train, and where the variables are.
struct Topology
{
    enum class Kind
    {
        Device,   ///< one device
        Mirrored, ///< devices in step, each with the variables
        Central,  ///< devices around one copy of the variables
        Machines, ///< as Mirrored, each on a machine of its own
        Servers,  ///< machines that fetch the variables from servers
    };

    Kind kind = Kind::Device;
    int replicas = 1;
    int servers = 1;

    bool operator==(const Topology&) const = default;
};

/// Draws it within a rectangle of about 120 by 30 design pixels. At most four replicas and two
/// servers are drawn; beside a single replica stands a second one in outline, as of a larger
/// machine.
void paintTopology(QPainter& painter, const Topology& topology, const QRectF& where,
                   const QColor& colour);

} // namespace cannery::ui
