// SPDX-License-Identifier: Apache-2.0
#include "core/spec/normalized_columns.h"

#include "core/spec/column_kinds.h"
#include "core/spec/message_access.h"

namespace cannery::spec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// The field of a kind that contains its normalizer, if set.
const FieldDescriptor* normalizerField(const Message* member)
{
    const Descriptor* kind = member == nullptr ? nullptr : member->GetDescriptor();
    for (int i = 0; kind != nullptr && i < kind->field_count(); ++i) {
        // By type, not by name: any kind of column may have a normalizer.
        const FieldDescriptor& field = *kind->field(i);
        if (isMessage(field) && !field.is_repeated() &&
            field.message_type() == Normalizer::descriptor() &&
            member->GetReflection()->HasField(*member, &field)) {
            return &field;
        }
    }
    return nullptr;
}

} // namespace

std::optional<NormalizedColumn> normalizedColumn(const FeatureColumn& column)
{
    const Message* member = memberOf(column);
    const FieldDescriptor* field = normalizerField(member);
    if (field == nullptr) {
        return std::nullopt;
    }
    NormalizedColumn result{.name = column.name()};
    for (const ColumnSource& source : sourcesOf(column)) {
        result.feature = source.isColumn ? result.feature : source.name;
    }
    result.normalizer =
        dynamic_cast<const Normalizer&>(member->GetReflection()->GetMessage(*member, field));
    SpecPath path = SpecPath{}.child("feature_column");
    // By the column's name: a path for people, and stable when columns are moved.
    path.steps.back().name = column.name();
    result.path = path.child(kindName(column)).child(field->name()).toString();
    return result;
}

std::vector<NormalizedColumn> normalizedColumns(const Experiment& experiment)
{
    std::vector<NormalizedColumn> columns;
    for (const FeatureColumn& column : experiment.feature_column()) {
        if (auto normalized = normalizedColumn(column)) {
            columns.push_back(std::move(*normalized));
        }
    }
    return columns;
}

Normalizer* mutableNormalizer(FeatureColumn& column)
{
    const FieldDescriptor* field = normalizerField(memberOf(column));
    if (field == nullptr) {
        return nullptr;
    }
    Message& member = *column.GetReflection()->MutableMessage(&column, memberField(column));
    return dynamic_cast<Normalizer*>(member.GetReflection()->MutableMessage(&member, field));
}

} // namespace cannery::spec
