// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/problem.h"
#include "core/spec/text/spec_path.h"
#include "core/spec/text/syntax_tree.h"

#include <google/protobuf/message.h>

#include <vector>

namespace cannery::spec {

/// Fills a message from the fields of a tree by reflection and reports everything that does not
/// match the schema: unknown names (with the nearest known one), wrong types, integers out of
/// range, repeated singular fields, two members of one oneof, unknown enum values.
///
/// Accepts what protobuf's text format accepts. An element that could not be parsed stays in its
/// list as a default value, so that indices in paths match the text.
/// @param prefix path of `message` itself within the experiment, for the paths of the problems.
std::vector<Problem> fillMessage(const SyntaxTree& tree, const SyntaxMessage& fields,
                                 const SpecPath& prefix, google::protobuf::Message& message);

} // namespace cannery::spec
