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
    const QString member = memberOf(document, QStringLiteral("estimator"));
    const QString path = QStringLiteral("estimator.%1.weight_column").arg(member);
    return member.isEmpty() || !fieldSchema(path) ? QString() : path;
}

/// Every column of the table that is named at a path; none if the path is empty.
QStringList columnsAt(const ExperimentDocument& document, const QString& path)
{
    const FieldNode* node = path.isEmpty() ? nullptr : document.field(path);
    return node == nullptr ? QStringList()
                           : node->namesOf({FieldNames::Column, FieldNames::Feature});
}

/// What a feature gets in place of a missing cell would become a label, a weight or a key.
void forgetDefaults(const ExperimentDocument& document, const QStringList& columns,
                    QList<FieldEdit>& edits)
{
    for (const QString& column : columns) {
        const QString path =
            elementPath(QStringLiteral("data.column"), column) + QStringLiteral(".default_value");
        const FieldNode* present = document.field(path);
        if (present != nullptr && !present->isDefault) {
            edits << FieldEdit::remove(path);
        }
    }
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

QStringList columnsOf(const ExperimentDocument& document, ColumnUse use)
{
    switch (use) {
    case ColumnUse::Label:
        return columnsAt(document, kLabel);
    case ColumnUse::Weight:
        return columnsAt(document, weightPath(document));
    case ColumnUse::Key:
        return columnsAt(document, kKeys);
    case ColumnUse::Feature:
        break;
    }
    return {};
}

ColumnUse useOf(const ExperimentDocument& document, const QString& column)
{
    for (const ColumnUse use : {ColumnUse::Label, ColumnUse::Weight, ColumnUse::Key}) {
        if (columnsOf(document, use).contains(column)) {
            return use;
        }
    }
    return ColumnUse::Feature;
}

QList<FieldEdit> useEdits(const ExperimentDocument& document, const QStringList& columns,
                          ColumnUse use)
{
    QList<FieldEdit> edits;
    if (columns.isEmpty()) {
        return edits;
    }
    if (use != ColumnUse::Feature) {
        forgetDefaults(document, columns, edits);
    }
    const QStringList keys = columnsAt(document, kKeys);
    QStringList others = keys;
    for (const QString& column : columns) {
        // A column has one use: whatever it was before ends here.
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
    if (use != ColumnUse::Weight && containsAny(columnsAt(document, weight), columns)) {
        edits << FieldEdit::remove(weight);
    }
    if (use == ColumnUse::Label) {
        edits << FieldEdit::set(
            kLabel, columns.size() == 1
                        ? QStringLiteral("{ column: %1 }").arg(quoted(columns.first()))
                        : QStringLiteral("{ columns { column: %1 } }").arg(quotedList(columns)));
    } else if (containsAny(columnsAt(document, kLabel), columns)) {
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
            // An element that would only name its column goes as a whole.
            const bool setsMore = std::any_of(
                present->children.begin(), present->children.end(), [](const FieldNode& field) {
                    return !field.isDefault && field.name != QLatin1String("name") &&
                           field.name != QLatin1String("dtype");
                });
            edits << FieldEdit::remove(setsMore ? path : element);
        }
    }
    return edits;
}

} // namespace cannery::ui
