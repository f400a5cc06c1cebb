// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/keras_graph.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace cannery::ui {
namespace {

/// Models within models; more is no model that anybody wrote.
constexpr int kDeepest = 40;

QString keyOf(const char* key)
{
    return QString::fromLatin1(key);
}

/// "float32"; Keras 3 writes it as a policy.
QString dtypeOf(const QJsonObject& config)
{
    const QJsonValue dtype = config.value(keyOf("dtype"));
    return dtype.isObject()
               ? dtype.toObject().value(keyOf("config")).toObject().value(keyOf("name")).toString()
               : dtype.toString();
}

/// "float32 [?, 3]" of an input.
QString typeOfLayer(const QJsonObject& config)
{
    QString type = dtypeOf(config);
    for (const char* key : {"batch_input_shape", "batch_shape"}) {
        const QJsonArray shape = config.value(keyOf(key)).toArray();
        if (shape.isEmpty()) {
            continue;
        }
        QStringList sizes;
        for (const QJsonValue& size : shape) {
            sizes << (size.isDouble() ? QString::number(size.toInteger()) : QStringLiteral("?"));
        }
        type += QStringLiteral(" [%1]").arg(sizes.join(QStringLiteral(", ")));
        break;
    }
    return type.trimmed();
}

/// Where a layer, or a model in the place of one, is entered and left: places in the graph.
struct Ends
{
    std::vector<std::size_t> entries;
    std::vector<std::size_t> exits;
};

class Reader
{
public:
    Ends readModel(const QJsonObject& model, const QString& scope, int depth)
    {
        const QJsonObject config = model.value(keyOf("config")).toObject();
        const bool isSequential = model.value(keyOf("class_name")) == keyOf("Sequential");
        QHash<QString, Ends> layers;
        Ends ends;
        Ends last;
        for (const QJsonValue& value : config.value(keyOf("layers")).toArray()) {
            // Layers first: an inbound node may refer to a layer that comes later.
            const QJsonObject layer = value.toObject();
            const Ends one = readLayer(layer, scope, depth);
            layers.insert(nameOf(layer), one);
            if (isSequential) {
                connect(last, one);
                // The first layer is the entry. One without exits is an empty model, which is
                // passed by.
                ends.entries = last.exits.empty() ? one.entries : ends.entries;
                last = one;
            }
        }
        if (isSequential) {
            ends.exits = last.exits;
            return ends;
        }
        for (const QJsonValue& value : config.value(keyOf("layers")).toArray()) {
            const QJsonObject layer = value.toObject();
            // A functional model: each layer lists the tensors that its calls take.
            for (const QString& from : sourcesIn(layer.value(keyOf("inbound_nodes")), layers, 0)) {
                connect(layers.value(from), layers.value(nameOf(layer)));
            }
        }
        for (const QString& name : sourcesIn(config.value(keyOf("input_layers")), layers, 0)) {
            append(ends.entries, layers.value(name).entries);
        }
        for (const QString& name : sourcesIn(config.value(keyOf("output_layers")), layers, 0)) {
            append(ends.exits, layers.value(name).exits);
        }
        return ends;
    }

    RunGraph take() { return std::move(m_graph); }

private:
    static QString nameOf(const QJsonObject& layer)
    {
        const QString name = layer.value(keyOf("name")).toString();
        return name.isEmpty()
                   ? layer.value(keyOf("config")).toObject().value(keyOf("name")).toString()
                   : name;
    }

    Ends readLayer(const QJsonObject& layer, const QString& scope, int depth)
    {
        const QJsonObject config = layer.value(keyOf("config")).toObject();
        const QString name = scope + nameOf(layer);
        // A model in the place of a layer. Deeper ones become a single node.
        if (config.value(keyOf("layers")).isArray() && depth < kDeepest) {
            return readModel(layer, name + u'/', depth + 1);
        }
        m_graph.nodes.push_back({.name = name,
                                 .op = layer.value(keyOf("class_name")).toString(),
                                 .inputs = {},
                                 .controls = {},
                                 .type = typeOfLayer(config)});
        const std::size_t place = m_graph.nodes.size() - 1;
        return {{place}, {place}};
    }

    /// The layers that a value refers to: ["name", 0, 0] of Keras 2, "keras_history" of Keras 3, at
    /// any depth. Each once, in order.
    static QStringList sourcesIn(const QJsonValue& value, const QHash<QString, Ends>& layers,
                                 int depth)
    {
        QStringList sources;
        const auto add = [&](const QJsonValue& part) {
            for (const QString& name : sourcesIn(part, layers, depth + 1)) {
                if (!sources.contains(name)) {
                    sources << name;
                }
            }
        };
        if (depth > kDeepest) {
            return sources;
        }
        if (value.isArray()) {
            const QJsonArray array = value.toArray();
            if (array.size() >= 3 && array[0].isString() && array[1].isDouble() &&
                layers.contains(array[0].toString())) {
                sources << array[0].toString();
            }
            for (const QJsonValue& part : array) {
                add(part);
            }
        } else if (value.isObject()) {
            for (const QJsonValue& part : value.toObject()) {
                add(part);
            }
        }
        return sources;
    }

    static void append(std::vector<std::size_t>& all, const std::vector<std::size_t>& more)
    {
        all.insert(all.end(), more.begin(), more.end());
    }

    void connect(const Ends& from, const Ends& to)
    {
        // A layer that is called twice has its edges once: the graph has a node for each layer, not
        // for each call.
        for (const std::size_t entry : to.entries) {
            for (const std::size_t exit : from.exits) {
                QStringList& inputs = m_graph.nodes[entry].inputs;
                if (!inputs.contains(m_graph.nodes[exit].name)) {
                    inputs << m_graph.nodes[exit].name;
                }
            }
        }
    }

    RunGraph m_graph;
};

} // namespace

std::shared_ptr<const RunGraph> kerasGraph(const QByteArray& json)
{
    const QJsonObject model = QJsonDocument::fromJson(json).object();
    if (!model.value(keyOf("config")).toObject().value(keyOf("layers")).isArray()) {
        return nullptr;
    }
    Reader reader;
    reader.readModel(model, {}, 0);
    RunGraph graph = reader.take();
    return graph.nodes.empty() ? nullptr : std::make_shared<const RunGraph>(std::move(graph));
}

} // namespace cannery::ui
