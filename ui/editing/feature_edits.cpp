// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/feature_edits.h"

#include "ui/document/field_node.h"
#include "ui/document/field_schema.h"
#include "ui/editing/field_values.h"
#include "ui/editing/offer_source.h"

#include <algorithm>

namespace cannery::ui {

namespace {

const QString kColumnField = QStringLiteral("feature_column");

qsizetype indexOf(const FieldNode& root, const QString& name)
{
    const QList<FieldNode>& columns = child(root, "feature_column").children;
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const FieldNode& column) {
        return valueOf(column, "name") == name;
    });
    return found == columns.end() ? -1 : found - columns.begin();
}

/// An element at the end of a list that has some already, otherwise the list.
void appendTo(ColumnList& list, const QString& name, QList<FieldEdit>& edits)
{
    if (list.names.contains(name)) {
        return;
    }
    edits.append(list.names.isEmpty()
                     ? FieldEdit::set(list.path, quotedList({name}))
                     : FieldEdit::set(elementPath(list.path, list.names.size()), quoted(name)));
    list.names.append(name);
}

void removeFrom(ColumnList& list, const QString& name, QList<FieldEdit>& edits)
{
    for (qsizetype i = list.names.size(); i-- > 0;) {
        if (list.names[i] == name) {
            list.names.removeAt(i);
            edits.append(
                FieldEdit::remove(list.names.isEmpty() ? list.path : elementPath(list.path, i)));
        }
    }
}

} // namespace

QList<ColumnList> columnLists(const FieldNode& root)
{
    QList<ColumnList> lists;
    const FieldNode& estimator = chosen(child(root, "estimator"));
    const auto schema = messageSchema(estimator.path);
    if (!schema || estimator.path.isEmpty()) {
        return lists;
    }
    for (const FieldSchema& field : schema->fields) {
        if (field.names == FieldNames::FeatureColumn && field.isRepeated) {
            lists.append({.path = estimator.path + '.' + field.name,
                          .isDense = field.wantsDense,
                          .isSteps = field.wantsSequences,
                          .names = valuesOf(child(estimator, field.name.toUtf8().constData()))});
        }
    }
    return lists;
}

QString freeName(const FieldNode& root, const QString& wanted)
{
    QString name = wanted;
    for (int i = 2; indexOf(root, name) >= 0; ++i) {
        name = QStringLiteral("%1_%2").arg(wanted).arg(i);
    }
    return name;
}

QList<FieldEdit> renameColumnEdits(const FieldNode& root, const QString& name,
                                   const QString& newName)
{
    QList<FieldEdit> edits;
    eachReference(root, [&](const FieldNode& reference) {
        if (reference.text == name) {
            edits.append(FieldEdit::set(reference.path, quoted(newName)));
        }
    });
    if (const qsizetype index = indexOf(root, name); index >= 0) {
        edits.append(FieldEdit::set(elementPath(kColumnField, index) + QLatin1String(".name"),
                                    quoted(newName)));
    }
    return edits;
}

QList<FieldEdit> duplicateColumnEdits(const FieldNode& root, const QString& name,
                                      const QString& text, const QString& newName)
{
    const qsizetype index = indexOf(root, name);
    if (index < 0) {
        return {};
    }
    // Behind the last one there is no element to insert before.
    const bool isLast = index + 1 == child(root, "feature_column").children.size();
    const QString place = elementPath(kColumnField, index + 1);
    return {isLast ? FieldEdit::set(place, text) : FieldEdit::insert(place, text),
            FieldEdit::set(place + QLatin1String(".name"), quoted(newName))};
}

QList<FieldEdit> moveColumnEdits(const FieldNode& root, const QString& name, int target)
{
    const qsizetype index = indexOf(root, name);
    const qsizetype count = child(root, "feature_column").children.size();
    if (index < 0 || target < 0 || target >= count || target == index) {
        return {};
    }
    return {FieldEdit::move(elementPath(kColumnField, index), target)};
}

QList<FieldEdit> addColumnEdits(const FieldNode& root, const QList<NewColumn>& columns)
{
    QList<FieldEdit> edits;
    QList<ColumnList> lists = columnLists(root);
    qsizetype count = child(root, "feature_column").children.size();
    for (const NewColumn& column : columns) {
        edits.append(FieldEdit::set(elementPath(kColumnField, count++), column.text));
        for (ColumnList& list : lists) {
            // Lists of sequences and of other columns are never mixed.
            if (list.isSteps == column.hasSteps && (list.isDense ? column.deep : column.wide)) {
                appendTo(list, column.name, edits);
            }
        }
    }
    return edits;
}

QList<FieldEdit> useColumnEdits(const FieldNode& root, const QString& name, bool wide, bool deep)
{
    QList<FieldEdit> edits;
    QList<ColumnList> lists = columnLists(root);
    const FieldNode* column = columnNamed(root, name);
    const bool isSteps = column && hasSteps(root, *column);
    for (ColumnList& list : lists) {
        if (list.isSteps == isSteps && (list.isDense ? deep : wide)) {
            appendTo(list, name, edits);
        } else {
            removeFrom(list, name, edits);
        }
    }
    return edits;
}

} // namespace cannery::ui
