// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_node.h"

#include <string_view>

namespace cannery::spec {
class Experiment;
struct SyntaxTree;
} // namespace cannery::spec

namespace cannery::ui {

/// The fields of an experiment as nodes, in the schema's order: set fields, and scalars with a
/// default. Fields that are not in the text are marked as defaults.
FieldNode buildFieldTree(const spec::Experiment& experiment, const spec::SyntaxTree& tree);

/// Follows a path through the children; null if it does not exist.
const FieldNode* findField(const FieldNode& root, std::string_view path);

} // namespace cannery::ui
