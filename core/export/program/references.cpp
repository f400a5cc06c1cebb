// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/references.h"

#include "core/spec/message_access.h"

#include <algorithm>
#include <functional>

namespace cannery::exporting {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Every text in the message and below it, with its field.
void visitTexts(const Message& message,
                const std::function<void(const FieldDescriptor&, const std::string&)>& visit)
{
    const google::protobuf::Reflection& values = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    values.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        const int count = field->is_repeated() ? values.FieldSize(message, field) : 1;
        for (int i = 0; i < count; ++i) {
            if (spec::isMessage(*field)) {
                visitTexts(field->is_repeated() ? values.GetRepeatedMessage(message, field, i)
                                                : values.GetMessage(message, field),
                           visit);
            } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
                visit(*field, field->is_repeated() ? values.GetRepeatedString(message, field, i)
                                                   : values.GetString(message, field));
            }
        }
    }
}

} // namespace

/// In the order of the message, since the order of columns is that of an estimator's inputs.
std::vector<std::string> referencedColumns(const Message& message)
{
    std::vector<std::string> names;
    visitTexts(message, [&names](const FieldDescriptor& field, const std::string& text) {
        if (spec::infoOf(field).names() == spec::FieldInfo::FEATURE_COLUMN &&
            std::find(names.begin(), names.end(), text) == names.end()) {
            names.push_back(text);
        }
    });
    return names;
}

std::set<std::string> referencedFeatures(const spec::ColumnIndex& columns, const Message& message)
{
    std::set<std::string> names;
    visitTexts(message, [&](const FieldDescriptor& field, const std::string& text) {
        if (spec::infoOf(field).names() == spec::FieldInfo::FEATURE) {
            names.insert(text);
        } else if (spec::infoOf(field).names() == spec::FieldInfo::FEATURE_COLUMN) {
            if (const auto raw = spec::rawFeatures(columns, text)) {
                names.insert(raw->begin(), raw->end());
            }
        }
    });
    return names;
}

} // namespace cannery::exporting
