// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/program/refused_fields.h"
#include "core/spec/experiment.pb.h"

#include <set>
#include <string>

namespace cannery::exporting {

/// The part of a program that reads the tables: functions path_of(), read(), features_of(),
/// labels_of() and input_fn(), with the constants that they need. `experiment`: resolved, its
/// sources with every detected setting.
std::string dataProgram(const spec::Experiment& experiment, RefusedFields& refused);

/// Python modules of the standard library that dataProgram() needs, sorted.
std::set<std::string> dataImports(const spec::Experiment& experiment);

} // namespace cannery::exporting
