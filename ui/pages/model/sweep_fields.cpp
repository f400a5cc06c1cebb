// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/sweep_fields.h"

#include "ui/document/field_edit.h"
#include "ui/document/field_schema.h"

#include <QRegularExpression>

#include <optional>

namespace cannery::ui {
namespace {

bool namesSomething(const FieldSchema& field)
{
    return field.name == QLatin1String("name") || field.names == FieldNames::File ||
           (!field.isRepeated && field.names != FieldNames::Nothing);
}

void collect(const FieldNode& message, QStringList& found);

void collectMessages(const FieldNode& field, bool isRepeated, QStringList& found)
{
    if (isRepeated) {
        for (const FieldNode& element : field.children) {
            collect(element, found);
        }
        return;
    }
    const std::optional<MessageSchema> schema = messageSchema(field.path);
    if (schema && !schema->members().isEmpty()) {
        found << field.path;
    }
    collect(field, found);
}

void collect(const FieldNode& message, QStringList& found)
{
    const std::optional<MessageSchema> schema = messageSchema(message.path);
    if (!schema) {
        return;
    }
    for (const FieldSchema& field : schema->fields) {
        const FieldNode* present = message.child(field.name);
        if (field.kind == FieldSchema::Kind::Message) {
            if (present != nullptr) {
                collectMessages(*present, field.isRepeated, found);
            }
        } else if (!namesSomething(field) && (field.group.isEmpty() || present != nullptr)) {
            found << childPath(message.path, field.name);
        }
    }
}

} // namespace

bool isSweptField(const QString& path)
{
    static const QRegularExpression kSwept(
        QStringLiteral("^sweep\\.parameter\\[[^\\]]*\\]\\.field$"));
    return kSwept.match(path).hasMatch();
}

QStringList sweepableFields(const FieldNode& root)
{
    QStringList found;
    for (const char* part :
         {"estimator", "train_spec", "feature_column", "run_config", "strategy"}) {
        const FieldNode* present = root.child(QLatin1String(part));
        if (present == nullptr) {
            continue;
        }
        if (present->isRepeated) {
            collectMessages(*present, true, found);
        } else {
            collect(*present, found);
        }
    }
    return found;
}

} // namespace cannery::ui
