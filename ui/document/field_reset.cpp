// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/field_reset.h"

#include "ui/document/experiment_document.h"

#include <QSet>

#include <algorithm>

namespace cannery::ui {
namespace {

const QString kEstimator = QStringLiteral("estimator");
const QString kHead = QStringLiteral("head");

/// The names of all arguments of all heads, which estimators without a head of their own take
/// themselves.
QSet<QString> headArguments()
{
    QSet<QString> names{kHead};
    const std::optional<MessageSchema> estimators = messageSchema(kEstimator);
    for (const FieldSchema& estimator : estimators ? estimators->members() : QList<FieldSchema>()) {
        const QString path = childPath(childPath(kEstimator, estimator.name), kHead);
        const std::optional<MessageSchema> heads = messageSchema(path);
        for (const FieldSchema& head : heads ? heads->members() : QList<FieldSchema>()) {
            const std::optional<MessageSchema> schema = messageSchema(childPath(path, head.name));
            for (const FieldSchema& field : schema ? schema->fields : QList<FieldSchema>()) {
                names.insert(field.name);
            }
        }
        if (heads) {
            break; // they are the same for all
        }
    }
    return names;
}

bool isKept(const FieldSchema& field)
{
    static const QSet<QString> kHeadArguments = headArguments();
    return field.isRequired || field.names == FieldNames::FeatureColumn ||
           (field.minCount > 0 && field.suggested.isEmpty()) || kHeadArguments.contains(field.name);
}

} // namespace

QList<FieldEdit> resetEdits(const ExperimentDocument& document, const QString& path,
                            const std::function<bool(const FieldSchema&)>& isLeftOut)
{
    const FieldNode* message = document.field(path);
    const std::optional<FieldSchema> self = fieldSchema(path);
    const std::optional<MessageSchema> schema = messageSchema(path);
    if (message == nullptr || message->isDefault || !self || !schema) {
        return {};
    }
    // Without a choice or a requirement in it, the message as a whole can go.
    if (self->group.isEmpty() && !self->isRequired && !isLeftOut) {
        return {FieldEdit::remove(path)};
    }
    QList<FieldEdit> edits;
    for (const FieldSchema& field : schema->fields) {
        const FieldNode* node = message->child(field.name);
        if (node == nullptr || node->isDefault || isKept(field) ||
            (isLeftOut && isLeftOut(field))) {
            continue;
        }
        const QString place = childPath(path, field.name);
        // A field with a value to begin with is never left empty: it would not be valid.
        if (field.suggested.isEmpty()) {
            edits << FieldEdit::remove(place);
        } else if (document.edits().written(place) != field.suggested) {
            edits << FieldEdit::set(place, field.suggested);
        }
    }
    return edits;
}

} // namespace cannery::ui
