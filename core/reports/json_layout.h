// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/reports/json_options.pb.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>

namespace cannery::reports {

/// How a field stands in JSON.
const JsonField& layoutOf(const google::protobuf::FieldDescriptor& field);

/// Whether a message is the value of its only field that is set, without a name.
bool isBare(const google::protobuf::Descriptor& type);

/// Whether a field is a list that is written as an object.
bool isObjectList(const google::protobuf::FieldDescriptor& field);

/// Of the messages in such a list.
const google::protobuf::FieldDescriptor& keyField(const google::protobuf::Descriptor& entry);
const google::protobuf::FieldDescriptor& valueField(const google::protobuf::Descriptor& entry);

/// The word for a value of an enum: its name in lower case.
std::string enumWord(const google::protobuf::EnumValueDescriptor& value);

/// What stands for numbers that JSON does not know, if the field's layout wants them.
inline constexpr const char* kNotANumber = "NaN";
inline constexpr const char* kInfinity = "Infinity";
inline constexpr const char* kMinusInfinity = "-Infinity";

} // namespace cannery::reports
