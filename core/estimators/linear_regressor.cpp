// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/linear_regressor.h"

#include "core/estimators/model_assembly.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerLinearRegressor(const LoweringRequest& request)
{
    const spec::Estimator& estimator = request.experiment.estimator();
    return assembleModel(request, {.linear = linearPartOf(estimator.linear_regressor())});
}

} // namespace cannery::estimators
