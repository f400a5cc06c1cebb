// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/annotations.pb.h"
#include "core/spec/spec_path.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

/// Small questions to descriptors and reflection that several files of this room ask.
namespace cannery::spec {

inline bool isMessage(const google::protobuf::FieldDescriptor& field)
{
    return field.cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE;
}

/// What the schema says of a field.
inline const FieldInfo& infoOf(const google::protobuf::FieldDescriptor& field)
{
    return field.options().GetExtension(info);
}

/// The member of the oneof `kind` that is set, or nullptr; and the message in it.
const google::protobuf::FieldDescriptor* memberField(const google::protobuf::Message& message);
const google::protobuf::Message* memberOf(const google::protobuf::Message& message);

/// The texts of a repeated field; none when the message has no such field.
std::vector<std::string> textsIn(const google::protobuf::Message& message, std::string_view field);

/// Room for one more element of a repeated field. Protobuf makes an element before it makes room
/// for it, and leaks the element when memory runs out.
void makeRoom(google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field);

/// Elements of this type are told apart by a string field `name`.
bool hasName(const google::protobuf::Descriptor& message);

/// The `name` of an element of a repeated message field; empty when its type has no `name`.
std::string elementName(const google::protobuf::Message& parent,
                        const google::protobuf::FieldDescriptor& field, int index);

std::vector<std::string> fieldNames(const google::protobuf::Descriptor& message);

/// Errors: "spec.unknown_field", with the nearest known name or the place where the name is known.
/// @param path of the message, for the error.
Result<const google::protobuf::FieldDescriptor*>
findField(const google::protobuf::Descriptor& message, std::string_view name, const SpecPath& path);

/// The message that an address leads into. Errors: "spec.path_not_message",
/// "spec.path_element_needed".
Result<const google::protobuf::Message*> subMessage(const FieldAddress& address,
                                                    const SpecPath& path, std::string_view wanted);

} // namespace cannery::spec
