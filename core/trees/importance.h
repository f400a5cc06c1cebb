// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/ensemble.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cannery::trees {

/// By feature: the gains of its splits, times the weights of their trees.
std::vector<double> gainsOf(const Ensemble& ensemble, std::int32_t features);

/// What each feature has contributed to a prediction, TensorFlow's directional feature
/// contributions: along the path of the row through each tree, the change of the prediction from a
/// node to the next is credited to the feature that is split there. Together with the bias they add
/// up to the prediction.
struct Contributions
{
    float bias = 0.0F; ///< the prediction of the first tree's root
    std::vector<float> features;
};

/// Of one row, for trees of one output whose nodes all have their values; `prediction` maps a logit
/// to a prediction.
void contributionsOf(const Ensemble& ensemble, const FeatureTable& table, std::int64_t row,
                     const std::function<float(float)>& prediction, Contributions& contributions);

} // namespace cannery::trees
