// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace google::protobuf {
class Message;
} // namespace google::protobuf

namespace cannery::reports {

/// A report as JSON, on one line or indented: its fields in the order of their declarations, by
/// their names, as the options of json_options.proto say. Numbers have as many digits as their
/// doubles need; bytes that are not UTF-8 become U+FFFD.
std::string reportJson(const google::protobuf::Message& report, int indent = -1);

/// Sets a report's fields from JSON. Members that the report does not know, or that have a value of
/// another kind, are left out: the program that wrote them may be newer. False if the text is not
/// JSON.
bool readReport(std::string_view json, google::protobuf::Message& report);

} // namespace cannery::reports
