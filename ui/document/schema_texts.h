// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_node.h"

#include <QString>

#include <string>

namespace google::protobuf {
class FieldDescriptor;
} // namespace google::protobuf

namespace cannery::ui {

/// A text of the schema in the user's language (resources/translations/schema_texts.h).
QString schemaText(const std::string& text);
/// What the text of a field names.
FieldNames namesOf(const google::protobuf::FieldDescriptor& field);
/// Whether the feature columns that it names must be dense numbers.
bool wantsDense(const google::protobuf::FieldDescriptor& field);

} // namespace cannery::ui
