// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <map>
#include <string>

namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::tests {

/// What a training wrote and reported, keyed by file, event or line: checkpoints and exports byte
/// by byte, every value of the event files, and its observer's events. Excludes machine
/// measurements, and the frozen experiment, which contains every field anyway.
using Observed = std::map<std::string, std::string>;

/// Checks an experiment, trains it in a separate folder with a clock that advances by a second per
/// step, and deletes the folder. The same experiment always gives the same result. Otherwise
/// returns the first error, of the checks or of the training.
Result<Observed> observeTraining(const spec::Experiment& experiment,
                                 const std::string& experimentFile);

} // namespace cannery::tests
