// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/text/syntax_tree.h"

#include <string>

namespace google::protobuf {
class FieldDescriptor;
class Message;
} // namespace google::protobuf

namespace cannery::spec {

class Experiment;

/// The canonical text of an experiment: two spaces, fields in the schema's order, a message on one
/// line if it fits into 100 columns. The same experiment gives the same bytes.
std::string printExperiment(const Experiment& experiment);

/// Any message in the same layout, as the body of a file.
std::string printMessage(const google::protobuf::Message& message);

/// One value on one line: `0.001`, `"age"`, `[64, 32]`, `{ key: "age" }`. index -1: the whole
/// field.
std::string printValue(const google::protobuf::Message& parent,
                       const google::protobuf::FieldDescriptor& field, int index = -1);

/// The canonical layout of a text; comments and single blank lines are kept; idempotent. Two texts
/// with the same meaning and without comments or blank lines give the same bytes. The text must
/// parse without errors as an Experiment (call parseExperiment() first; unknown fields are kept).
std::string formatExperiment(const SyntaxTree& tree);

} // namespace cannery::spec
