// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/dnn_estimator.h"

#include "core/estimators/model_assembly.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerDnnEstimator(const LoweringRequest& request)
{
    const spec::Estimator& estimator = request.experiment.estimator();
    return assembleModel(request, {.dnn = dnnPartOf(estimator.dnn_estimator())});
}

} // namespace cannery::estimators
