// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <map>
#include <string>

namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::tests {

/// What a training left and said, by the file, the event or the line that holds it: checkpoints and
/// exports byte by byte, every value of the event files, what its observer was told. Left out is
/// what measures the machine, and the frozen experiment, which holds every field anyway.
using Observed = std::map<std::string, std::string>;

/// Checks an experiment, trains it in a folder of its own with a clock that advances by a second at
/// every step, and deletes the folder. The same experiment is observed alike every time. The first
/// error, of the checks or of the training, is its only other answer.
Result<Observed> observeTraining(const spec::Experiment& experiment,
                                 const std::string& experimentFile);

} // namespace cannery::tests
