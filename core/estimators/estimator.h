// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/graph/lowered_model.h"
#include "core/spec/experiment.pb.h"

namespace cannery::estimators {

/// The input of lowering a canned estimator. The experiment is resolved (every optimizer is set).
struct LoweringRequest
{
    const spec::Experiment& experiment;
    const features::InputLayout& layout;
};

/// Turns an estimator into layers, a head and optimizers; variables have TensorFlow 2.15's names.
/// Errors name the feature column that does not fit: "estimators.…", "layers.…".
using Lowering = Result<graph::LoweredModel> (*)(const LoweringRequest&);

} // namespace cannery::estimators
