// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace google::protobuf {
class FieldDescriptor;
class Message;
} // namespace google::protobuf

namespace cannery::spec {

/// One field of a path, and which element of it if it is repeated.
struct PathStep
{
    std::string field;
    std::optional<int> index = std::nullopt;        ///< "hidden_units[2]"
    std::optional<std::string> name = std::nullopt; ///< "feature_column[age]": its `name` field

    bool hasElement() const { return index.has_value() || name.has_value(); }
    bool operator==(const PathStep&) const = default;
};

/// Path of a field in an experiment: `feature_column[age].numeric_column.key`,
/// `estimator.dnn_classifier.hidden_units[2]`. A value type, independent of any message.
struct SpecPath
{
    std::vector<PathStep> steps;

    SpecPath child(std::string_view field) const;
    /// The same path, with the last step bound to one element.
    SpecPath element(int index) const;
    /// The steps of `below` behind those of this one.
    SpecPath joined(const SpecPath& below) const;
    SpecPath parent() const;
    bool startsWith(const SpecPath& prefix) const;

    std::string toString() const;
    bool operator==(const SpecPath&) const = default;
};

/// A path is one step longer as long as this lives. For walks: a path that is copied for each field
/// costs more than what is done there.
class DeeperPath
{
public:
    DeeperPath(SpecPath& path, std::string_view field) : m_path(path)
    {
        m_path.steps.push_back({std::string(field)});
    }
    DeeperPath(const DeeperPath&) = delete;
    DeeperPath& operator=(const DeeperPath&) = delete;
    ~DeeperPath() { m_path.steps.pop_back(); }

    void setElement(int index) { m_path.steps.back().index = index; }

private:
    SpecPath& m_path;
};

/// Parses a path; an element name that is a number or contains ']', '"' or '\' is written in double
/// quotes. Errors: "spec.path_syntax".
Result<SpecPath> parsePath(std::string_view text);

/// A field of a message.
struct FieldAddress
{
    const google::protobuf::Message* parent = nullptr;
    const google::protobuf::FieldDescriptor* field = nullptr;
    int index = -1; ///< of the element; the field as a whole if -1
};

/// Finds the message that holds the path's last field. Errors: "spec.unknown_field" (with the
/// nearest known name), "spec.path_no_element", "spec.path_not_repeated", "spec.path_not_message".
/// An unset message in the path counts as empty.
Result<FieldAddress> locate(const google::protobuf::Message& message, const SpecPath& path);

/// The descriptor of the last field, from the schema alone (elements need not exist).
Result<const google::protobuf::FieldDescriptor*>
describePath(const google::protobuf::Message& message, const SpecPath& path);

/// The path with indices in place of names ("feature_column[3].…").
Result<SpecPath> indexedPath(const google::protobuf::Message& message, const SpecPath& path);

/// The path with names in place of indices wherever the name is unique: the form for display.
SpecPath namedPath(const google::protobuf::Message& message, const SpecPath& path);

/// The value in text format (`[64, 32]`, `"age"`, `{ key: "age" }`); for a field that is not set,
/// its default, or an empty text if it has none.
Result<std::string> valueText(const google::protobuf::Message& message, const SpecPath& path);

} // namespace cannery::spec
