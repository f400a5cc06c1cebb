// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/rnn_estimator.h"

#include "core/estimators/rnn_lowering.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerRnnEstimator(const LoweringRequest& request)
{
    return assembleRnn(request, rnnPartOf(request.experiment.estimator().rnn_estimator()));
}

} // namespace cannery::estimators
