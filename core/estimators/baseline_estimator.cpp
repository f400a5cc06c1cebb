// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/baseline_estimator.h"

#include "core/estimators/model_assembly.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerBaselineEstimator(const LoweringRequest& request)
{
    const spec::Estimator& estimator = request.experiment.estimator();
    return assembleBaseline(request, estimator.baseline_estimator().optimizer());
}

} // namespace cannery::estimators
