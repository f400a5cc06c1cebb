// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/program/refused_fields.h"

#include <google/protobuf/message.h>

#include <string>

namespace cannery::exporting {

/// The parts of a program that read TFRecord files; see SourceProgram.
std::string recordReadFunction(const google::protobuf::Message& source);
std::string recordReadCall(const google::protobuf::Message& source);
void refuseRecordFields(const google::protobuf::Message& source, const std::string& path,
                        RefusedFields& refused);

} // namespace cannery::exporting
