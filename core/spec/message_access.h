// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/annotations.pb.h"
#include "core/spec/text/spec_path.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

/// Small queries to descriptors and reflection that several files of this folder use.
namespace cannery::spec {

inline bool isMessage(const google::protobuf::FieldDescriptor& field)
{
    return field.cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE;
}

/// The schema's options of a field.
inline const FieldInfo& infoOf(const google::protobuf::FieldDescriptor& field)
{
    return field.options().GetExtension(info);
}

/// The member of the oneof `kind` that is set, or nullptr; and its message.
const google::protobuf::FieldDescriptor* memberField(const google::protobuf::Message& message);
const google::protobuf::Message* memberOf(const google::protobuf::Message& message);

/// The texts of a repeated field; none if the message has no such field.
std::vector<std::string> textsIn(const google::protobuf::Message& message, std::string_view field);

/// Reserves space for one more element of a repeated field. Protobuf creates an element before it
/// reserves space for it, and leaks the element if memory runs out.
void makeRoom(google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field);

/// Elements of this type are identified by a string field `name`.
bool hasName(const google::protobuf::Descriptor& message);

/// The `name` of an element of a repeated message field; empty if its type has no `name`.
std::string elementName(const google::protobuf::Message& parent,
                        const google::protobuf::FieldDescriptor& field, int index);

std::vector<std::string> fieldNames(const google::protobuf::Descriptor& message);

/// Errors: "spec.unknown_field", with the nearest known name or the location where the name is
/// known.
/// @param path of the message, for the error.
Result<const google::protobuf::FieldDescriptor*>
findField(const google::protobuf::Descriptor& message, std::string_view name, const SpecPath& path);

/// The message that a path leads into. Errors: "spec.path_not_message", "spec.path_element_needed".
Result<const google::protobuf::Message*> subMessage(const FieldAddress& address,
                                                    const SpecPath& path, std::string_view wanted);

} // namespace cannery::spec
