// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/text/syntax_tree.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <string_view>

namespace cannery::spec {

/// "an integer", "a number", "a text", "true or false", "one of sum, mean, sqrtn".
std::string typeName(const google::protobuf::FieldDescriptor& field);

/// An example value of the right type, for an error message.
std::string exampleValue(const google::protobuf::FieldDescriptor& field);

/// Sets a singular scalar field, or appends to a repeated one. Malformed values, which are already
/// reported, become the default. Errors: "spec.wrong_type", "spec.integer_range",
/// "spec.unknown_enum".
Result<void> setScalar(const SyntaxValue& value, const google::protobuf::FieldDescriptor& field,
                       google::protobuf::Message& message);

/// Whether what a person typed as the value of a field is one number, if the field takes numbers:
/// text format would read "0,07" as 0 and a separator, and "010" as 8. Errors:
/// "spec.not_one_number", "spec.octal_number". Other mistakes are for setScalar() to find.
Result<void> checkTypedNumber(std::string_view text,
                              const google::protobuf::FieldDescriptor& field);

/// Appends an empty element to a repeated field.
void addDefaultElement(google::protobuf::Message& message,
                       const google::protobuf::FieldDescriptor& field);

/// One scalar in canonical text: the shortest number that reads back to the same bits, text in
/// double quotes, enum by name. index -1: a singular field (its default if it is not set).
std::string scalarText(const google::protobuf::Message& message,
                       const google::protobuf::FieldDescriptor& field, int index);

/// The default of a singular field in the same form; empty if the schema has none.
std::string defaultText(const google::protobuf::FieldDescriptor& field);

/// The number in the same form: "0.001", "18", "inf".
std::string numberText(double number);

} // namespace cannery::spec
