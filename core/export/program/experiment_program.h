// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"

#include <string>

namespace cannery::exporting {

struct ProgramRequest
{
    spec::Experiment experiment; ///< resolved, its sources with every detected setting
    std::string folder;          ///< where its relative paths start
    std::string origin;          ///< the experiment's file or run, for the program's first lines
};

/// A Python program that is the same experiment in tf.estimator: TensorFlow 2.15, or 2.8 for
/// boosted trees. Trained from a copy of our model_dir, file order given, it follows our losses.
/// Errors: "program.no_counterpart" with every field that tf.estimator cannot express.
Result<std::string> experimentProgram(const ProgramRequest& request);

} // namespace cannery::exporting
