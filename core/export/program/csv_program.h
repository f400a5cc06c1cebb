// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <string>

/// CSV and TSV files in a program: csv.DictReader with what our reader has detected. See
/// SourceProgram.
namespace cannery::exporting {

std::string csvReadFunction(const google::protobuf::Message& source);
std::string csvReadCall(const google::protobuf::Message& source);
std::string csvNumberReader(const google::protobuf::Message& source);
std::string csvNumberReaderDefinition(const google::protobuf::Message& source);

} // namespace cannery::exporting
