// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/dnn_classifier.h"

#include "core/estimators/model_assembly.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerDnnClassifier(const LoweringRequest& request)
{
    const spec::Estimator& estimator = request.experiment.estimator();
    return assembleModel(request, {.dnn = dnnPartOf(estimator.dnn_classifier())});
}

} // namespace cannery::estimators
