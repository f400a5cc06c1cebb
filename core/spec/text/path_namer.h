// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/text/spec_path.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace cannery::spec {

/// namedPath() for many paths of one message: every list is scanned once, not once per path. The
/// message must outlive it and stay unchanged. One thread.
class PathNamer
{
public:
    explicit PathNamer(const google::protobuf::Message& message) : m_message(message) {}

    SpecPath named(const SpecPath& path);

private:
    using Counts = std::unordered_map<std::string, int>;

    bool isUnique(const FieldAddress& address, const std::string& name);

    const google::protobuf::Message& m_message;
    std::map<std::pair<const google::protobuf::Message*, const google::protobuf::FieldDescriptor*>,
             Counts>
        m_names; ///< how many elements of a list have a name
};

} // namespace cannery::spec
