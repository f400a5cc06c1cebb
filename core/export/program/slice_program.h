// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/program/refused_fields.h"
#include "core/spec/experiment.pb.h"

#include <set>
#include <string>

namespace cannery::exporting {

/// What a program does of the slices of an eval_spec: after the training it evaluates each group of
/// rows by an input_fn of its own, and prints the metrics under the names of our event files. All
/// are empty without slices, and without rows to evaluate on.
bool hasSlices(const spec::Experiment& experiment);
/// The columns of the table that the slices read.
std::set<std::string> sliceColumns(const spec::Experiment& experiment);
/// The Python function groups_of(). Refuses evaluations of rows that only the run knows.
std::string sliceFunction(const spec::Experiment& experiment, RefusedFields& refused);
/// The end of main(). `input`: the call that makes the input_fn of the list `rows`.
std::string sliceLoop(const spec::Experiment& experiment, const std::string& input);

} // namespace cannery::exporting
