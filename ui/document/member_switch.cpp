// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/member_switch.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"

#include <algorithm>
#include <optional>

namespace cannery::ui {
namespace {

bool isSameKind(const FieldSchema& a, const FieldSchema& b)
{
    return a.kind == b.kind && a.type == b.type && a.isRepeated == b.isRepeated &&
           a.names == b.names && a.wantsDense == b.wantsDense &&
           a.wantsSequences == b.wantsSequences;
}

/// "dnn_hidden_units" is "hidden_units" of the part "dnn_"; of any part if `part` is empty.
bool isSameArgument(const QString& a, const QString& b, const QString& part)
{
    if (part.isEmpty()) {
        return a == b || a.endsWith(u'_' + b) || b.endsWith(u'_' + a);
    }
    return a == b || a == part + b || b == part + a;
}

/// The field of the new member that a set field becomes; null if there is none. A name of its own
/// comes first.
const FieldSchema* successor(const FieldSchema& field, const MessageSchema& wanted,
                             const QStringList& taken, const QString& part)
{
    const FieldSchema* found = nullptr;
    for (const FieldSchema& candidate : wanted.fields) {
        const bool fits = isSameKind(field, candidate) &&
                          isSameArgument(field.name, candidate.name, part) &&
                          !taken.contains(candidate.name);
        // The same name is better than a longer one that ends with it.
        if (fits && (found == nullptr || candidate.name == field.name)) {
            found = &candidate;
        }
    }
    return found;
}

/// The part ("dnn_") of an estimator that the other one is as a whole, as their lists of columns
/// tell; empty if there is none.
QString commonPart(const MessageSchema& known, const MessageSchema& wanted)
{
    for (const FieldSchema& field : known.fields) {
        if (field.names != FieldNames::FeatureColumn || !field.isRepeated) {
            continue;
        }
        // Two lists of columns whose names differ by a part tell which part that is.
        const FieldSchema* next = successor(field, wanted, {}, {});
        if (next != nullptr && next->name != field.name) {
            const QString& longer =
                std::max(next->name, field.name,
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
            return longer.chopped(std::min(next->name.size(), field.name.size()));
        }
    }
    return {};
}

/// The set member of the oneof.
const FieldNode* presentMember(const FieldNode* message)
{
    if (message == nullptr) {
        return nullptr;
    }
    const auto found = std::find_if(
        message->children.begin(), message->children.end(),
        [](const FieldNode& child) { return !child.group.isEmpty() && !child.isDefault; });
    return found == message->children.end() ? nullptr : &*found;
}

QString emptyValue(const FieldSchema& member)
{
    switch (member.kind) {
    case FieldSchema::Kind::Message:
        return QStringLiteral("{ }");
    case FieldSchema::Kind::Text:
        return QStringLiteral("\"\"");
    case FieldSchema::Kind::YesNo:
        return QStringLiteral("true");
    case FieldSchema::Kind::Choice:
        return member.choices.value(0);
    default:
        return member.defaultText.isEmpty() ? QStringLiteral("1") : member.defaultText;
    }
}

/// "column: a" becomes "columns { column: [a] }", and back.
void carryNames(const FieldNode& present, const FieldSchema& wanted, const QString& place,
                MemberSwitch& result)
{
    if (wanted.kind == FieldSchema::Kind::Text) {
        if (const QStringList names = present.namesOf({wanted.names}); !names.isEmpty()) {
            result.edits = {FieldEdit::set(place, quoted(names.first()))};
        }
        return;
    }
    const std::optional<MessageSchema> message = messageSchema(place);
    for (const FieldSchema& field : message ? message->fields : QList<FieldSchema>()) {
        const QStringList names =
            field.names == FieldNames::Nothing ? QStringList() : present.namesOf({field.names});
        if (!names.isEmpty() && field.kind == FieldSchema::Kind::Text) {
            result.edits << FieldEdit::set(childPath(place, field.name),
                                           field.isRepeated ? quotedList(names)
                                                            : quoted(names.first()));
            return;
        }
    }
}

/// Fields that both members have stay where they are, under the new member's names.
void renameFields(const FieldNode& present, const QString& name, const MessageSchema& known,
                  const MessageSchema& wanted, MemberSwitch& result, QStringList& taken)
{
    const QString part = commonPart(known, wanted);
    result.edits.clear();
    for (const FieldNode& field : present.children) {
        const FieldSchema* schema = known.field(field.name);
        if (field.isDefault || schema == nullptr) {
            continue;
        }
        const FieldSchema* next = successor(*schema, wanted, taken, part);
        if (next == nullptr) {
            result.lost << schema->label;
            result.edits << FieldEdit::remove(field.path);
            continue;
        }
        taken << next->name;
        result.kept << schema->label;
        if (next->name != field.name) {
            result.edits << FieldEdit::rename(field.path, next->name);
        }
    }
    // Last, as the other edits name their fields by the old member.
    result.edits << FieldEdit::rename(present.path, name);
}

/// Values to begin with, where the schema has no default.
void addSuggested(const QString& place, const std::optional<MessageSchema>& wanted,
                  const QStringList& taken, MemberSwitch& result)
{
    for (const FieldSchema& field : wanted ? wanted->fields : QList<FieldSchema>()) {
        if (!field.suggested.isEmpty() && !taken.contains(field.name)) {
            result.edits << FieldEdit::set(childPath(place, field.name), field.suggested);
        }
    }
}

} // namespace

MemberSwitch switchMember(const ExperimentDocument& document, const QString& path,
                          const QString& name)
{
    const QString place = childPath(path, name);
    const std::optional<FieldSchema> self = fieldSchema(place);
    if (!self) {
        return {};
    }
    MemberSwitch result{{FieldEdit::set(place, emptyValue(*self))}, {}, {}};
    const FieldNode* present = presentMember(document.field(path));
    const std::optional<MessageSchema> wanted = messageSchema(place);
    QStringList taken;
    if (present == nullptr) {
        addSuggested(place, wanted, taken, result);
        return result;
    }
    const std::optional<MessageSchema> known = messageSchema(present->path);
    if (known && wanted) {
        renameFields(*present, name, *known, *wanted, result, taken);
    }
    if (!known || !wanted || result.kept.isEmpty()) {
        carryNames(*present, *self, place, result);
    }
    addSuggested(place, wanted, taken, result);
    return result;
}

} // namespace cannery::ui
