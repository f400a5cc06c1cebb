// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/rnn_classifier.h"

#include "core/estimators/rnn_lowering.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerRnnClassifier(const LoweringRequest& request)
{
    return assembleRnn(request, rnnPartOf(request.experiment.estimator().rnn_classifier()));
}

} // namespace cannery::estimators
