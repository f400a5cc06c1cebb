// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/linear_classifier.h"

#include "core/estimators/model_assembly.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerLinearClassifier(const LoweringRequest& request)
{
    const spec::Estimator& estimator = request.experiment.estimator();
    return assembleModel(request, {.linear = linearPartOf(estimator.linear_classifier())});
}

} // namespace cannery::estimators
