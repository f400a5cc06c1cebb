// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/network_edits.h"

#include "ui/document/field_schema.h"

#include <QSet>

#include <algorithm>

namespace cannery::ui {
namespace {

/// What kinds of layers read, as the schema says.
std::optional<MessageSchema> schemaOf(const NetworkOutline& outline, const QString& kind)
{
    return messageSchema(childPath(outline.pathOf(0), kind));
}

LayerReads readsOf(const NetworkOutline& outline, const QString& kind)
{
    const auto schema = schemaOf(outline, kind);
    return schema ? schema->reads : LayerReads::One;
}

/// The layers as they are to be, from which the edits follow.
class Draft
{
public:
    struct Item
    {
        int origin = -1;   ///< its index in the outline; -1: it is new
        QList<int> inputs; ///< indices of m_items
        QString kind;      ///< of a new one, as its text
        QString text;
        bool isCopy = false; ///< the text has the name and the inputs of another layer
    };

    explicit Draft(const NetworkOutline& outline) : m_outline(outline)
    {
        for (int i = 0; i < outline.layers.size(); ++i) {
            m_items << Item{
                .origin = i, .inputs = outline.layers[i].inputs, .kind = {}, .text = {}};
            m_order << i;
        }
    }

    Item& item(int id) { return m_items[id]; }
    const QList<int>& order() const { return m_order; }
    int add(const Item& item, int place)
    {
        m_items << item;
        m_order.insert(place, static_cast<int>(m_items.size()) - 1);
        return static_cast<int>(m_items.size()) - 1;
    }
    /// Behind a layer of the outline (-1: as the first one). If it reads that layer, the next one
    /// of a chain reads it.
    void addBehind(int layer, const Item& item)
    {
        const int added = add(item, layer + 1);
        const int next = layer + 1;
        if (item.inputs == QList<int>{layer} && next < m_outline.layers.size() &&
            !m_outline.layers[next].namesInputs &&
            m_outline.layers[next].inputs == QList<int>{layer}) {
            m_items[next].inputs = {added};
        }
    }
    void remove(int id)
    {
        const QList<int> inputs = m_items[id].inputs;
        for (const int other : std::as_const(m_order)) {
            QList<int> bridged;
            for (const int input : std::as_const(m_items[other].inputs)) {
                for (const int next : input == id ? inputs : QList<int>{input}) {
                    if (!bridged.contains(next)) {
                        bridged << next;
                    }
                }
            }
            m_items[other].inputs = bridged;
        }
        m_order.removeOne(id);
    }

    /// Values first, where every layer still has its index; then layers go and come.
    QList<FieldEdit> edits() const
    {
        QList<FieldEdit> edits = namesAndInputs();
        for (int i = static_cast<int>(m_outline.layers.size()) - 1; i >= 0; --i) {
            if (!m_order.contains(i)) {
                edits << FieldEdit::remove(m_outline.pathOf(i));
            }
        }
        for (int place = 0; place < m_order.size(); ++place) {
            const Item& item = m_items[m_order[place]];
            if (item.origin < 0) {
                edits << insertion(item, place);
            }
        }
        return edits;
    }

private:
    bool readsTheOneBefore(int place) const
    {
        return place > 0 && m_items[m_order[place]].inputs == QList<int>{m_order[place - 1]};
    }
    bool needsInputs(int place) const
    {
        const Item& item = m_items[m_order[place]];
        const bool isWritten = item.origin >= 0 && m_outline.layers[item.origin].namesInputs;
        return !item.inputs.isEmpty() &&
               (!readsTheOneBefore(place) ||
                (isWritten && item.inputs == m_outline.layers[item.origin].inputs));
    }
    QString nameOf(int id) const
    {
        const Item& item = m_items[id];
        return item.origin >= 0 ? m_outline.layers[item.origin].name : freeName(item.kind);
    }
    /// For a new layer: "dense_2".
    QString freeName(const QString& kind) const
    {
        const auto isTaken = [&](const QString& name) {
            return std::any_of(m_outline.layers.begin(), m_outline.layers.end(),
                               [&](const OutlinedLayer& layer) { return layer.name == name; });
        };
        QString name = kind;
        for (int number = 1; isTaken(name); ++number) {
            name = kind + u'_' + QString::number(number);
        }
        return name;
    }
    /// What is read by its name: it needs one of its own, since the number in a made name may
    /// change.
    QSet<int> named() const
    {
        QSet<int> found;
        for (int place = 0; place < m_order.size(); ++place) {
            for (const int input :
                 needsInputs(place) ? m_items[m_order[place]].inputs : QList<int>()) {
                found << input;
            }
        }
        return found;
    }
    QString inputsText(const Item& item) const
    {
        QStringList names;
        for (const int input : item.inputs) {
            names << nameOf(input);
        }
        return quotedList(names);
    }
    QList<FieldEdit> namesAndInputs() const;
    QList<FieldEdit> insertion(const Item& item, int place) const;

    const NetworkOutline& m_outline;
    QList<Item> m_items;
    QList<int> m_order; ///< indices of m_items, as the text will have them
};

QList<FieldEdit> Draft::namesAndInputs() const
{
    const QSet<int> wanted = named();
    QList<FieldEdit> edits;
    for (const int id : m_order) {
        const int origin = m_items[id].origin;
        if (wanted.contains(id) && origin >= 0 && !m_outline.layers[origin].isNamed) {
            edits << FieldEdit::set(childPath(m_outline.pathOf(origin), QStringLiteral("name")),
                                    quoted(m_outline.layers[origin].name));
        }
    }
    for (int place = 0; place < m_order.size(); ++place) {
        const Item& item = m_items[m_order[place]];
        if (item.origin < 0) {
            continue;
        }
        const OutlinedLayer& layer = m_outline.layers[item.origin];
        const QString path = childPath(m_outline.pathOf(item.origin), QStringLiteral("inputs"));
        if (!needsInputs(place)) {
            if (layer.namesInputs) {
                edits << FieldEdit::remove(path);
            }
        } else if (!layer.namesInputs || layer.inputs != item.inputs) {
            edits << FieldEdit::set(path, inputsText(item));
        }
    }
    return edits;
}

QList<FieldEdit> Draft::insertion(const Item& item, int place) const
{
    const QString path = m_outline.pathOf(place);
    const QString name = childPath(path, QStringLiteral("name"));
    const QString inputs = childPath(path, QStringLiteral("inputs"));
    QList<FieldEdit> edits{FieldEdit::insert(path, item.text)};
    if (item.isCopy) {
        edits << FieldEdit::remove(name) << FieldEdit::remove(inputs);
    }
    if (named().contains(m_order[place])) {
        edits << FieldEdit::set(name, quoted(nameOf(m_order[place])));
    }
    if (needsInputs(place)) {
        edits << FieldEdit::set(inputs, inputsText(item));
    }
    return edits;
}

} // namespace

QString NetworkEdits::newLayer(const QString& kind) const
{
    QStringList fields;
    if (const auto schema = schemaOf(m_outline, kind)) {
        for (const FieldSchema& field : schema->fields) {
            if (!field.suggested.isEmpty()) {
                fields << field.name + QStringLiteral(": ") + field.suggested;
            } else if (field.type == QStringLiteral("NetworkLayer") && field.minCount > 0) {
                // A block begins with the layer that fits wherever it is put.
                fields << field.name + u' ' + newLayer(QStringLiteral("dense"));
            }
        }
    }
    return fields.isEmpty() ? QStringLiteral("{ %1 {} }").arg(kind)
                            : QStringLiteral("{ %1 { %2 } }").arg(kind, fields.join(u' '));
}

QList<FieldEdit> NetworkEdits::insertAfter(const QString& kind, int after) const
{
    Draft draft(m_outline);
    const bool begins = after < 0 || readsOf(m_outline, kind) == LayerReads::None;
    draft.addBehind(after, {.inputs = begins ? QList<int>() : QList<int>{after},
                            .kind = kind,
                            .text = newLayer(kind)});
    return draft.edits();
}

QList<FieldEdit> NetworkEdits::insertBetween(const QString& kind, int from, int to) const
{
    if (!m_outline.layers[to].inputs.contains(from) ||
        readsOf(m_outline, kind) == LayerReads::None) {
        return {};
    }
    Draft draft(m_outline);
    // Before its reader, which then reads the one before it if it reads nothing else.
    const int place = to > from ? to : from + 1;
    const int added = draft.add({.inputs = {from}, .kind = kind, .text = newLayer(kind)}, place);
    for (int& input : draft.item(to).inputs) {
        input = input == from ? added : input;
    }
    return draft.edits();
}

QList<FieldEdit> NetworkEdits::remove(const QList<int>& layers) const
{
    Draft draft(m_outline);
    for (const int layer : layers) {
        draft.remove(layer);
    }
    return draft.edits();
}

QString NetworkEdits::hindrance(int from, int to) const
{
    if (readsOf(m_outline, m_outline.layers[to].kind) == LayerReads::None) {
        return tr("An input reads columns, not layers.");
    }
    QList<int> ahead{from};
    QSet<int> seen;
    while (!ahead.isEmpty()) {
        const int layer = ahead.takeLast();
        if (layer == to) {
            return tr("That would be a circle: a layer cannot read what reads it.");
        }
        if (!seen.contains(layer)) {
            seen << layer;
            ahead << m_outline.layers[layer].inputs;
        }
    }
    return {};
}

QList<FieldEdit> NetworkEdits::connect(int from, int to) const
{
    const OutlinedLayer& reader = m_outline.layers[to];
    if (!hindrance(from, to).isEmpty() || reader.inputs.contains(from)) {
        return {};
    }
    Draft draft(m_outline);
    const bool takesSeveral = readsOf(m_outline, reader.kind) == LayerReads::Several;
    draft.item(to).inputs = takesSeveral ? reader.inputs + QList<int>{from} : QList<int>{from};
    return draft.edits();
}

QList<FieldEdit> NetworkEdits::disconnect(int from, int to) const
{
    const OutlinedLayer& reader = m_outline.layers[to];
    if (!reader.inputs.contains(from) || reader.inputs.size() < 2) {
        return {};
    }
    Draft draft(m_outline);
    draft.item(to).inputs.removeAll(from);
    return draft.edits();
}

QList<FieldEdit> NetworkEdits::duplicate(int layer, const QString& written) const
{
    Draft draft(m_outline);
    const bool begins = m_outline.layers[layer].inputs.isEmpty();
    draft.addBehind(layer, {.inputs = begins ? QList<int>() : QList<int>{layer},
                            .kind = m_outline.layers[layer].kind,
                            .text = written,
                            .isCopy = true});
    return draft.edits();
}

QList<FieldEdit> NetworkEdits::move(int layer, int target) const
{
    if (target < 0 || target >= m_outline.layers.size() || target == layer) {
        return {};
    }
    // Every layer whose inputs are implied names them first; what is implied again afterwards is
    // left to the person.
    QList<FieldEdit> edits;
    const auto name = [&](int reader) {
        if (reader < 0 || reader >= m_outline.layers.size() ||
            m_outline.layers[reader].namesInputs || m_outline.layers[reader].inputs.isEmpty()) {
            return;
        }
        const int input = m_outline.layers[reader].inputs.front();
        if (!m_outline.layers[input].isNamed) {
            edits << FieldEdit::set(childPath(m_outline.pathOf(input), QStringLiteral("name")),
                                    quoted(m_outline.layers[input].name));
        }
        edits << FieldEdit::set(childPath(m_outline.pathOf(reader), QStringLiteral("inputs")),
                                quotedList({m_outline.layers[input].name}));
    };
    // Only those whose neighbour changes: the layer itself, the one behind it, and the one behind
    // its new place.
    name(layer);
    name(layer + 1);
    const int behind = target < layer ? target : target + 1;
    if (behind != layer && behind != layer + 1) {
        name(behind);
    }
    return edits << FieldEdit::move(m_outline.pathOf(layer), target);
}

} // namespace cannery::ui
