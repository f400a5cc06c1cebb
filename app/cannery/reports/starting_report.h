// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "core/advice/starting_experiment.h"
#include "core/spec/problem.h"

#include <string>
#include <vector>

namespace cannery::app {

/// The file that `cannery new` writes: what was decided about the table, in comments, and the
/// experiment. `table`: its file name.
std::string experimentText(const advice::StartingExperiment& starting, const std::string& table);

/// What was left out and what to look at, as warnings.
std::vector<spec::Problem> problemsOf(const advice::StartingExperiment& starting);

/// The same in notes, with the rows that are left out.
void printRemarks(const advice::StartingExperiment& starting, const Console& console);

} // namespace cannery::app
