// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/network_outline.h"

#include "core/spec/experiment.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/networks/network_blocks.h"
#include "core/spec/networks/network_layout.h"
#include "ui/document/field_edit.h"

#include <algorithm>

namespace cannery::ui {

QString NetworkOutline::pathOf(int layer) const
{
    return elementPath(path, layer);
}

int NetworkOutline::layerAt(const QString& place) const
{
    if (isEmpty() || !place.startsWith(path + u'[')) {
        return -1;
    }
    for (int i = 0; i < layers.size(); ++i) {
        const QStringList own{pathOf(i), elementPath(path, layers[i].name)};
        for (const QString& candidate : own) {
            if (place == candidate || place.startsWith(candidate + u'.')) {
                return i;
            }
        }
    }
    return -1;
}

QList<int> NetworkOutline::readersOf(int layer) const
{
    QList<int> readers;
    for (int i = 0; i < layers.size(); ++i) {
        if (layers[i].inputs.contains(layer)) {
            readers << i;
        }
    }
    return readers;
}

namespace {

/// What is written may be wrong yet.
int repetitionsOf(const spec::NetworkLayer& layer)
{
    return layer.has_block() ? static_cast<int>(std::clamp(layer.block().repeat(), std::int64_t{1},
                                                           spec::kMostLayers))
                             : 0;
}

} // namespace

NetworkOutline outlineOf(const spec::Experiment& experiment)
{
    NetworkOutline outline;
    const spec::NetworkGraph* network = spec::networkOf(experiment.estimator());
    if (network == nullptr) {
        return outline;
    }
    const std::string& member = spec::memberField(experiment.estimator())->name();
    outline.path = QStringLiteral("estimator.%1.graph.layer").arg(QString::fromStdString(member));
    const spec::NetworkLayout layout = spec::layoutOf(*network);
    for (int i = 0; i < network->layer_size(); ++i) {
        const spec::NetworkLayer& layer = network->layer(i);
        const auto index = static_cast<std::size_t>(i);
        const auto* kind = spec::memberField(layer);
        OutlinedLayer outlined{.name = QString::fromStdString(layout.names[index]),
                               .isNamed = !layer.name().empty(),
                               .kind = kind == nullptr ? QString()
                                                       : QString::fromStdString(kind->name()),
                               .inputs = {},
                               .namesInputs = layer.inputs_size() > 0,
                               .repeat = repetitionsOf(layer)};
        for (const int input : layout.inputs[index]) {
            outlined.inputs << input;
        }
        outline.layers << outlined;
    }
    return outline;
}

} // namespace cannery::ui
