// SPDX-License-Identifier: Apache-2.0
#include "core/spec/column_kinds.h"

#include "core/spec/checks/column_rules.h"
#include "core/spec/message_access.h"
#include "core/spec/tensorflow_names.h"

#include <algorithm>

namespace cannery::spec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void addReference(const InputReference& reference, std::vector<ColumnSource>& sources)
{
    sources.push_back({reference.has_column() ? reference.column() : reference.feature(),
                       reference.has_column()});
}

void addSources(const Message& member, const FieldDescriptor& field,
                std::vector<ColumnSource>& sources)
{
    const bool isReference =
        isMessage(field) && field.message_type() == InputReference::descriptor();
    const FieldInfo::Names names = infoOf(field).names();
    // Only fields that name a raw feature or a column make a column of others.
    if (!isReference && names != FieldInfo::FEATURE && names != FieldInfo::FEATURE_COLUMN) {
        return;
    }
    const Reflection& reflection = *member.GetReflection();
    const int count = field.is_repeated() ? reflection.FieldSize(member, &field) : 1;
    if (isReference) {
        for (int i = 0; i < count; ++i) {
            const Message& reference = field.is_repeated()
                                           ? reflection.GetRepeatedMessage(member, &field, i)
                                           : reflection.GetMessage(member, &field);
            addReference(dynamic_cast<const InputReference&>(reference), sources);
        }
        return;
    }
    for (int i = 0; i < count; ++i) {
        sources.push_back({field.is_repeated() ? reflection.GetRepeatedString(member, &field, i)
                                               : reflection.GetString(member, &field),
                           names == FieldInfo::FEATURE_COLUMN});
    }
}

/// What a field adds to the number of ids; nothing if it is not set.
std::optional<std::int64_t> idsOf(const Message& member, const FieldDescriptor& field)
{
    const Reflection& reflection = *member.GetReflection();
    if (field.is_repeated()) {
        return reflection.FieldSize(member, &field);
    }
    // A field without a value and without a default is not known yet, as a vocabulary file's size.
    const bool isKnown = field.has_default_value() || reflection.HasField(member, &field);
    return isKnown ? std::optional(reflection.GetInt64(member, &field)) : std::nullopt;
}

} // namespace

const ColumnKind& columnKind(const FeatureColumn& column)
{
    const FieldDescriptor* field =
        FeatureColumn::descriptor()->FindFieldByNumber(column.kind_case());
    return field == nullptr ? ColumnKind::default_instance()
                            : field->message_type()->options().GetExtension(column_kind);
}

bool gives(const FeatureColumn& column, ColumnKind::Value value)
{
    const auto& given = columnKind(column).gives();
    return std::find(given.begin(), given.end(), value) != given.end();
}

bool isWrapper(const FeatureColumn& column)
{
    // A wrapper gives a network numbers for the ids of other columns.
    return gives(column, ColumnKind::DENSE) && !gives(column, ColumnKind::IDS) &&
           std::ranges::any_of(sourcesOf(column), &ColumnSource::isColumn);
}

bool isSequence(const ColumnIndex& columns, const FeatureColumn& column)
{
    if (gives(column, ColumnKind::SEQUENCE)) {
        return true;
    }
    // An embedding or indicator of a sequence is one itself.
    return isWrapper(column) &&
           std::ranges::any_of(sourcesOf(column), [&](const ColumnSource& source) {
               const FeatureColumn* inner = source.isColumn ? columns.find(source.name) : nullptr;
               return inner != nullptr && gives(*inner, ColumnKind::SEQUENCE);
           });
}

std::string kindName(const FeatureColumn& column)
{
    const FieldDescriptor* field = memberField(column);
    return field == nullptr ? std::string() : field->name();
}

std::vector<ColumnSource> sourcesOf(const FeatureColumn& column)
{
    std::vector<ColumnSource> sources;
    const Message* member = memberOf(column);
    const Descriptor* kind = member == nullptr ? nullptr : member->GetDescriptor();
    for (int i = 0; kind != nullptr && i < kind->field_count(); ++i) {
        addSources(*member, *kind->field(i), sources);
    }
    return sources;
}

std::vector<ColumnSource> sourcesIn(const FeatureColumn& column, std::string_view field)
{
    std::vector<ColumnSource> sources;
    if (const Message* member = memberOf(column)) {
        const auto* found = member->GetDescriptor()->FindFieldByName(std::string(field));
        if (found != nullptr) {
            addSources(*member, *found, sources);
        }
    }
    return sources;
}

std::optional<std::int64_t> idCount(const ColumnIndex& columns, const FeatureColumn& column)
{
    // Kinds whose number of ids is not a sum of fields have a function.
    if (const ColumnRules* rules = findColumnRules(column); rules && rules->idCount) {
        return rules->idCount(columns, column);
    }
    std::optional<std::int64_t> total;
    const Message* member = memberOf(column);
    for (int i = 0; member != nullptr && i < member->GetDescriptor()->field_count(); ++i) {
        const FieldDescriptor& field = *member->GetDescriptor()->field(i);
        if (!infoOf(field).counts_ids()) {
            continue;
        }
        const auto ids = idsOf(*member, field);
        if (!ids) {
            return std::nullopt;
        }
        total = total.value_or(0) + *ids;
    }
    return total;
}

} // namespace cannery::spec
