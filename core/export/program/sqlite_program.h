// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <string>

namespace cannery::exporting {

/// The parts of a program that read a SQLite database; see SourceProgram.
std::string sqliteReadFunction(const google::protobuf::Message& source);
std::string sqliteReadCall(const google::protobuf::Message& source);

} // namespace cannery::exporting
