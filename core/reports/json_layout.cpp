// SPDX-License-Identifier: Apache-2.0
#include "core/reports/json_layout.h"

#include <algorithm>

namespace cannery::reports {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

const JsonField& layoutOf(const FieldDescriptor& field)
{
    return field.options().GetExtension(json);
}

bool isBare(const Descriptor& type)
{
    return type.options().GetExtension(as_json).bare();
}

bool isObjectList(const FieldDescriptor& field)
{
    return field.is_repeated() && layoutOf(field).object();
}

const FieldDescriptor& keyField(const Descriptor& entry)
{
    return *entry.field(0);
}

const FieldDescriptor& valueField(const Descriptor& entry)
{
    return *entry.field(1);
}

std::string enumWord(const google::protobuf::EnumValueDescriptor& value)
{
    std::string word = value.name();
    std::transform(word.begin(), word.end(), word.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    return word;
}

} // namespace cannery::reports
