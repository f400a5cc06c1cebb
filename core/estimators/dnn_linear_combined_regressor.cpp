// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/dnn_linear_combined_regressor.h"

#include "core/estimators/model_assembly.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerDnnLinearCombinedRegressor(const LoweringRequest& request)
{
    const spec::Estimator& estimator = request.experiment.estimator();
    return assembleModel(request, combinedPartsOf(estimator.dnn_linear_combined_regressor()));
}

} // namespace cannery::estimators
