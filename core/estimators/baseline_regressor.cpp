// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/baseline_regressor.h"

#include "core/estimators/model_assembly.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerBaselineRegressor(const LoweringRequest& request)
{
    const spec::Estimator& estimator = request.experiment.estimator();
    return assembleBaseline(request, estimator.baseline_regressor().optimizer());
}

} // namespace cannery::estimators
