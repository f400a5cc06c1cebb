// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>

namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::ui {

/// A layer of a network as it is written.
struct OutlinedLayer
{
    QString name;             ///< its own, or the one that is made of its kind: "dense_1"
    bool isNamed = false;     ///< its own
    QString kind;             ///< "conv_2d"; empty if none is chosen yet
    QList<int> inputs;        ///< the layers that it reads, in their order
    bool namesInputs = false; ///< they are written; otherwise it reads the one before
    int repeat = 0;           ///< of a block, which has layers of its own; 0: it is none

    bool operator==(const OutlinedLayer&) const = default;
};

/// The layers of the estimator's network, in the order in which they are written, and how they are
/// connected.
struct NetworkOutline
{
    QString path; ///< of their list: "estimator.custom_estimator.graph.layer"; empty: no network
    QList<OutlinedLayer> layers;

    bool isEmpty() const { return path.isEmpty(); }
    /// "estimator.custom_estimator.graph.layer[2]".
    QString pathOf(int layer) const;
    /// The layer of a path, by its index or its name, or of a field in it; -1 if it is of none.
    int layerAt(const QString& path) const;
    QList<int> readersOf(int layer) const;

    bool operator==(const NetworkOutline&) const = default;
};

/// As far as the layers can be connected.
NetworkOutline outlineOf(const spec::Experiment& experiment);

} // namespace cannery::ui
