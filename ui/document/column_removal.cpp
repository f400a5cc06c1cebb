// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/column_removal.h"

#include "ui/document/field_node.h"
#include "ui/document/field_schema.h"

#include <algorithm>

namespace cannery::ui {

namespace {

constexpr int kLeastInputs = 2;

const QString kFeatureColumns = QStringLiteral("feature_column");

const QList<FieldNode>& featureColumnsOf(const FieldNode& root)
{
    static const QList<FieldNode> kNone;
    const FieldNode* list = root.child(kFeatureColumns);
    return list == nullptr ? kNone : list->children;
}

QString columnName(const FieldNode& column)
{
    const FieldNode* name = column.child(QStringLiteral("name"));
    return name == nullptr ? QString() : name->text;
}

bool refersToAny(const FieldNode& node, const QStringList& names)
{
    return std::any_of(names.begin(), names.end(),
                       [&](const QString& name) { return refersToColumn(node, name); });
}

/// Whether a column still has what it needs without these: a list keeps as many elements as the
/// schema asks for; anything else needs what it names.
bool survivesWithout(const FieldNode& field, const QStringList& names)
{
    if (!field.isRepeated) {
        if (field.names == FieldNames::FeatureColumn && !field.isMessage) {
            return !names.contains(field.text);
        }
        return std::all_of(field.children.begin(), field.children.end(),
                           [&](const FieldNode& child) { return survivesWithout(child, names); });
    }
    const auto left =
        std::count_if(field.children.begin(), field.children.end(),
                      [&](const FieldNode& element) { return !refersToAny(element, names); });
    if (left == field.children.size()) {
        return true;
    }
    // A list that does without some of its elements may still be long enough: a cross of three
    // columns becomes one of two.
    const auto schema = fieldSchema(field.path);
    return left >= std::max(1, schema ? schema->minCount : kLeastInputs);
}

/// Removes what names these from the lists in a node, from the last element to the first.
void dropReferences(const FieldNode& node, const QStringList& names, QList<FieldEdit>& edits)
{
    if (!node.isRepeated) {
        for (const FieldNode& child : node.children) {
            dropReferences(child, names, edits);
        }
        return;
    }
    const auto refers = [&](const FieldNode& element) { return refersToAny(element, names); };
    // An empty list stays in no text: without all of its elements the field goes as a whole.
    if (!node.children.isEmpty() &&
        std::all_of(node.children.begin(), node.children.end(), refers)) {
        edits.append(FieldEdit::remove(node.path));
        return;
    }
    for (qsizetype i = node.children.size(); i-- > 0;) {
        if (refers(node.children[i])) {
            edits.append(FieldEdit::remove(elementPath(node.path, i)));
        }
    }
}

} // namespace

void eachReference(const FieldNode& node, const std::function<void(const FieldNode&)>& found)
{
    if (node.names == FieldNames::FeatureColumn && !node.isMessage && !node.isRepeated) {
        found(node);
        return;
    }
    for (const FieldNode& child : node.children) {
        eachReference(child, found);
    }
}

QString columnAtPath(const FieldNode& root, const QString& path)
{
    const QList<FieldNode>& columns = featureColumnsOf(root);
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const FieldNode& column) {
        return path == column.path || path.startsWith(column.path + u'.');
    });
    return found == columns.end() ? QString() : columnName(*found);
}

bool refersToColumn(const FieldNode& field, const QString& name)
{
    bool refers = false;
    eachReference(field, [&](const FieldNode& reference) { refers |= reference.text == name; });
    return refers;
}

QStringList removedWith(const FieldNode& root, const QStringList& names)
{
    QStringList removed = names;
    // Until nothing is added: a column that goes may take one with it that reads it.
    for (bool isSettled = false; !isSettled;) {
        isSettled = true;
        for (const FieldNode& column : featureColumnsOf(root)) {
            const QString other = columnName(column);
            if (!removed.contains(other) && !survivesWithout(column, removed)) {
                removed.append(other);
                isSettled = false;
            }
        }
    }
    return removed;
}

QList<FieldEdit> removeColumnEdits(const FieldNode& root, const QStringList& names)
{
    const QStringList removed = removedWith(root, names);
    const QList<FieldNode>& columns = featureColumnsOf(root);
    QList<FieldEdit> edits;
    for (const FieldNode& field : root.children) {
        if (field.name != kFeatureColumns) {
            dropReferences(field, removed, edits);
        }
    }
    for (const FieldNode& column : columns) {
        if (!removed.contains(columnName(column))) {
            dropReferences(column, removed, edits);
        }
    }
    // From the last to the first, so that the indices of those still to come hold.
    for (qsizetype i = columns.size(); i-- > 0;) {
        if (removed.contains(columnName(columns[i]))) {
            edits.append(FieldEdit::remove(elementPath(kFeatureColumns, i)));
        }
    }
    return edits;
}

} // namespace cannery::ui
