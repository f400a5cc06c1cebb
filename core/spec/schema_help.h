// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace google::protobuf {
class Descriptor;
class FieldDescriptor;
} // namespace google::protobuf

namespace cannery::spec {

/// Everything the schema says about one field; the source of forms and help.
struct FieldHelp
{
    std::string name;
    std::string label;
    std::string help;
    std::string type; ///< "int64", "string", "DNNClassifier", "one of relu, tanh, …"
    bool repeated = false;
    bool message = false;
    bool required = false;
    bool expert = false;
    bool zeroMeansNone = false;
    std::string defaultText; ///< empty if there is none
    std::string unit;
    std::optional<double> min = std::nullopt;
    std::optional<double> max = std::nullopt;
    bool exclusive = false;
    int minCount = 0;
    std::vector<std::string> choices; ///< values of an enum
    std::string oneofGroup;           ///< name of the oneof it belongs to, or empty
};

struct MessageHelp
{
    std::string name;
    std::string label;
    std::string help;
    std::string family;            ///< the heading that a menu lists it under; empty: none
    std::vector<FieldHelp> fields; ///< in the schema's order
};

FieldHelp describeField(const google::protobuf::FieldDescriptor& field);
MessageHelp describeMessage(const google::protobuf::Descriptor& message);

/// What a path of the schema refers to: "" (the experiment), "estimator.dnn_classifier.dropout", or
/// the name of a message ("DNNClassifier").
struct SchemaEntry
{
    std::string path;
    std::optional<FieldHelp> field = std::nullopt;     ///< absent for the experiment or a message
    std::optional<MessageHelp> message = std::nullopt; ///< absent for a scalar field
};

/// Errors: "spec.unknown_field", "spec.path_not_message", with the nearest known name.
Result<SchemaEntry> describeSchema(std::string_view path);

/// The same as text for a terminal, with expert fields only on request.
Result<std::string> helpFor(std::string_view path, bool expert = false);

} // namespace cannery::spec
