// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/problem.h"
#include "core/spec/text/spec_path.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <vector>

namespace cannery::spec {

/// Checks one field (and everything below it) against the schema's options: ranges, required
/// fields, minimum number of elements, one member of each oneof. Problems have no location yet.
/// @param path of the field.
void checkField(const google::protobuf::Message& message,
                const google::protobuf::FieldDescriptor& field, const SpecPath& path,
                std::vector<Problem>& problems);

/// What checkField() reports for a required field that is not set. @param path of the field.
void reportUnset(const google::protobuf::FieldDescriptor& field, const SpecPath& path,
                 std::vector<Problem>& problems);

/// checkField() for all fields of a message. @param path of the message.
void checkFields(const google::protobuf::Message& message, const SpecPath& path,
                 std::vector<Problem>& problems);

} // namespace cannery::spec
