// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/field_values.h"

#include "ui/document/field_node.h"

namespace cannery::ui {

const FieldNode& child(const FieldNode& node, const char* name)
{
    static const FieldNode kNothing;
    const FieldNode* found = node.child(QLatin1String(name));
    return found ? *found : kNothing;
}

QString valueOf(const FieldNode& node, const char* name)
{
    return child(node, name).text;
}

QStringList valuesOf(const FieldNode& list)
{
    QStringList values;
    for (const FieldNode& element : list.children) {
        values.append(element.text);
    }
    return values.isEmpty() && !list.text.isEmpty() ? list.text.split(QLatin1String(", ")) : values;
}

const FieldNode& chosen(const FieldNode& node, const QStringList& others)
{
    static const FieldNode kNothing;
    const FieldNode* found = nullptr;
    for (const FieldNode& field : node.children) {
        if (others.contains(field.name)) {
            continue;
        }
        if (!field.isDefault) {
            return field;
        }
        found = found ? found : &field;
    }
    return found ? *found : kNothing;
}

const FieldNode& chosenKind(const FieldNode& node)
{
    QStringList others;
    for (const FieldNode& field : node.children) {
        if (field.group.isEmpty()) {
            others << field.name;
        }
    }
    return chosen(node, others);
}

const FieldNode& learningRateOf(const FieldNode& optimizer)
{
    // A schedule takes the place of the optimizer's own rate.
    const FieldNode& schedule = child(optimizer, "learning_rate_schedule");
    const FieldNode& kind = chosen(schedule);
    if (!kind.path.isEmpty() && !kind.isDefault) {
        return child(kind, "learning_rate");
    }
    return child(chosenKind(optimizer), "learning_rate");
}

QString labelOf(const FieldNode& field)
{
    return field.label.isEmpty() ? field.name : field.label;
}

} // namespace cannery::ui
