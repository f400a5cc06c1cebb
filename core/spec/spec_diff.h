// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace google::protobuf {
class Message;
} // namespace google::protobuf

namespace cannery::spec {

/// A field that differs. A text is empty if the field is not set.
struct FieldDifference
{
    std::string path;
    std::string before;
    std::string after;

    bool operator==(const FieldDifference&) const = default;
};

/// The differences between two messages of one type, in the schema's order. Repeated messages with
/// a `name` are matched by it, others by index; lists of scalars are compared as a whole. A field
/// set to its default equals one that is not set.
std::vector<FieldDifference> diff(const google::protobuf::Message& before,
                                  const google::protobuf::Message& after);

/// "path: before -> after", "path: added after", "path: removed before".
std::string render(const FieldDifference& difference);

} // namespace cannery::spec
