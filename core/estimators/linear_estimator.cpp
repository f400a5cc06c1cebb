// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/linear_estimator.h"

#include "core/estimators/model_assembly.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerLinearEstimator(const LoweringRequest& request)
{
    const spec::Estimator& estimator = request.experiment.estimator();
    return assembleModel(request, {.linear = linearPartOf(estimator.linear_estimator())});
}

} // namespace cannery::estimators
