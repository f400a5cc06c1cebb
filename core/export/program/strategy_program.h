// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/program/message_writer.h"
#include "core/export/program/refused_fields.h"
#include "core/spec/experiment.pb.h"

#include <string>

namespace cannery::exporting {

/// A Python expression for the strategy at `path`: "None" where TensorFlow's own choice is ours.
std::string strategyProgram(const spec::Strategy& strategy, const std::string& path,
                            MessageWriter& writer, RefusedFields& refused);

/// A statement of main(): what products round to on a GPU, which TensorFlow's do unless told not
/// to. Empty for the CPU.
std::string precisionProgram(const spec::Strategy& strategy, RefusedFields& refused);

} // namespace cannery::exporting
