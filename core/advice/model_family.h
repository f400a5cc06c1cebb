// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::advice {

enum class ModelFamily
{
    Baseline,
    Linear,
    Deep,
    Combined,
    Trees,
    Clusters ///< k-means, without a label
};

/// The short name of a family: "dnn_linear_combined".
std::string familyName(ModelFamily family);
/// The short names of `estimator`, besides the full ones.
std::vector<std::string> estimatorChoices();
/// Whether an estimator of these names learns without a label.
bool needsNoLabel(const std::string& estimator);

/// What a name of an estimator asks for.
struct EstimatorChoice
{
    std::optional<ModelFamily> family; ///< whichever does best if empty
    std::optional<bool> classifier;    ///< as the name requires
};

/// "" or "auto" asks for nothing. Errors: an unknown name, with the nearest one.
Result<EstimatorChoice> chooseEstimator(const std::string& wanted);

} // namespace cannery::advice
