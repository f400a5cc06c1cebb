// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/baseline_classifier.h"

#include "core/estimators/model_assembly.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerBaselineClassifier(const LoweringRequest& request)
{
    const spec::Estimator& estimator = request.experiment.estimator();
    return assembleBaseline(request, estimator.baseline_classifier().optimizer());
}

} // namespace cannery::estimators
