// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <string>

namespace cannery::exporting {

/// How a program reads NumPy archives; see SourceProgram.
std::string npzReadFunction(const google::protobuf::Message& source);
std::string npzReadCall(const google::protobuf::Message& source);

} // namespace cannery::exporting
