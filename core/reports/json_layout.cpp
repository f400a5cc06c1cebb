// SPDX-License-Identifier: Apache-2.0
#include "core/reports/json_layout.h"

#include "core/base/folded_case.h"

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
    return foldedCase(value.name());
}

} // namespace cannery::reports
