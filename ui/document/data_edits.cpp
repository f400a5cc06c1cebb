// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/data_edits.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"

#include <algorithm>

namespace cannery::ui {
namespace {

const QString kKeys = QStringLiteral("data.key_column");
const QString kLabel = QStringLiteral("data.label");

/// "estimator.dnn_classifier.weight_column"; empty if the estimator takes none.
QString weightPath(const ExperimentDocument& document)
{
    const QString member = document.member(QStringLiteral("estimator"));
    const QString path = QStringLiteral("estimator.%1.weight_column").arg(member);
    return member.isEmpty() || !fieldSchema(path) ? QString() : path;
}

QStringList textsAt(const ExperimentDocument& document, const QString& path)
{
    QStringList texts;
    const FieldNode* list = document.field(path);
    for (const FieldNode& element : list == nullptr ? QList<FieldNode>() : list->children) {
        texts << element.text;
    }
    return texts;
}

/// Every text below a node.
QStringList textsIn(const FieldNode* node)
{
    if (node == nullptr) {
        return {};
    }
    QStringList texts = node->children.isEmpty() ? QStringList{node->text} : QStringList();
    for (const FieldNode& child : node->children) {
        texts += textsIn(&child);
    }
    return texts;
}

bool containsAny(const QStringList& texts, const QStringList& columns)
{
    return std::any_of(columns.begin(), columns.end(),
                       [&](const QString& column) { return texts.contains(column); });
}

} // namespace

bool takesWeight(const ExperimentDocument& document)
{
    return !weightPath(document).isEmpty();
}

QList<FieldEdit> useEdits(const ExperimentDocument& document, const QStringList& columns,
                          ColumnUse use)
{
    QList<FieldEdit> edits;
    if (columns.isEmpty()) {
        return edits;
    }
    const QStringList keys = textsAt(document, kKeys);
    QStringList others = keys;
    for (const QString& column : columns) {
        others.removeAll(column);
    }
    if (use == ColumnUse::Key) {
        others += columns;
    }
    if (others != keys) {
        edits << (others.isEmpty() ? FieldEdit::remove(kKeys)
                                   : FieldEdit::set(kKeys, quotedList(others)));
    }
    const QString weight = weightPath(document);
    if (use != ColumnUse::Weight && containsAny(textsIn(document.field(weight)), columns)) {
        edits << FieldEdit::remove(weight);
    }
    if (use == ColumnUse::Label) {
        edits << FieldEdit::set(
            kLabel, columns.size() == 1
                        ? QStringLiteral("{ column: %1 }").arg(quoted(columns.first()))
                        : QStringLiteral("{ columns { column: %1 } }").arg(quotedList(columns)));
    } else if (containsAny(textsIn(document.field(kLabel)), columns)) {
        edits << FieldEdit::remove(kLabel);
    }
    if (use == ColumnUse::Weight && !weight.isEmpty()) {
        edits << FieldEdit::set(weight,
                                QStringLiteral("{ feature: %1 }").arg(quoted(columns.first())));
    }
    return edits;
}

QList<FieldEdit> typeEdits(const ExperimentDocument& document, const QStringList& columns,
                           const QString& type)
{
    QList<FieldEdit> edits;
    for (const QString& column : columns) {
        const QString element = elementPath(QStringLiteral("data.column"), column);
        const QString path = element + QStringLiteral(".dtype");
        const FieldNode* present = document.field(element);
        if (!type.isEmpty()) {
            edits << FieldEdit::set(path, type);
        } else if (present != nullptr) {
            const bool saysMore = std::any_of(
                present->children.begin(), present->children.end(), [](const FieldNode& field) {
                    return !field.isDefault && field.name != QLatin1String("name") &&
                           field.name != QLatin1String("dtype");
                });
            edits << FieldEdit::remove(saysMore ? path : element);
        }
    }
    return edits;
}

} // namespace cannery::ui
