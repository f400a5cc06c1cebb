// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/flat_parameters.h"

#include "core/spec/text/text_format.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

namespace cannery::train {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string elementName(const Message& element, int index)
{
    const FieldDescriptor* field = element.GetDescriptor()->FindFieldByName("name");
    if (field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
        element.GetReflection()->HasField(element, field)) {
        return element.GetReflection()->GetString(element, field);
    }
    return std::to_string(index);
}

void flatten(const Message& message, const std::string& prefix,
             std::vector<storage::RunParameter>& parameters)
{
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        std::string path;
        path.reserve(prefix.size() + 1 + field->name().size());
        path.append(prefix).append(prefix.empty() ? "" : ".").append(field->name());
        if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
            parameters.push_back({std::move(path), spec::printValue(message, *field)});
        } else if (!field->is_repeated()) {
            const Message& child = message.GetReflection()->GetMessage(message, field);
            const std::size_t before = parameters.size();
            flatten(child, path, parameters);
            if (parameters.size() == before) {
                parameters.push_back({std::move(path), "{}"});
            }
        } else {
            const int size = message.GetReflection()->FieldSize(message, field);
            for (int i = 0; i < size; ++i) {
                const Message& child =
                    message.GetReflection()->GetRepeatedMessage(message, field, i);
                flatten(child, path + "[" + elementName(child, i) + "]", parameters);
            }
        }
    }
}

} // namespace

std::vector<storage::RunParameter> flatParameters(const spec::Experiment& experiment)
{
    std::vector<storage::RunParameter> parameters;
    flatten(experiment, "", parameters);
    return parameters;
}

} // namespace cannery::train
