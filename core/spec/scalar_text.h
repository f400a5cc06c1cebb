// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/syntax_tree.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>

namespace cannery::spec {

/// "a whole number", "a number", "a text", "true or false", "one of sum, mean, sqrtn".
std::string typeName(const google::protobuf::FieldDescriptor& field);

/// A value of the right type, for the cure of an error.
std::string exampleValue(const google::protobuf::FieldDescriptor& field);

/// Sets a singular scalar field, or appends to a repeated one. Malformed values, already reported,
/// become the default. Errors: "spec.wrong_type", "spec.integer_range", "spec.unknown_enum".
Result<void> setScalar(const SyntaxValue& value, const google::protobuf::FieldDescriptor& field,
                       google::protobuf::Message& message);

/// Appends an empty element to a repeated field.
void addDefaultElement(google::protobuf::Message& message,
                       const google::protobuf::FieldDescriptor& field);

/// One scalar in canonical text: shortest number that reads back to the same bits, text in double
/// quotes, enum by name. index -1: of a singular field (its default when not set).
std::string scalarText(const google::protobuf::Message& message,
                       const google::protobuf::FieldDescriptor& field, int index);

/// The default of a singular field in the same form; empty when the schema gives none.
std::string defaultText(const google::protobuf::FieldDescriptor& field);

/// The number in the same form: "0.001", "18", "inf".
std::string numberText(double number);

} // namespace cannery::spec
