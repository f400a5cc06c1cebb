// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_node.h"

#include <QString>

#include <string>

namespace google::protobuf {
class FieldDescriptor;
} // namespace google::protobuf

namespace cannery::spec {
struct FieldHelp;
} // namespace cannery::spec

namespace cannery::ui {

/// A text of the schema in the user's language (resources/translations/schema_texts.h).
QString schemaText(const std::string& text);
/// What the schema has about a field; `help` is its own.
void describe(const google::protobuf::FieldDescriptor& field, const spec::FieldHelp& help,
              FieldDescription& description);

} // namespace cannery::ui
