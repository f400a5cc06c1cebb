// SPDX-License-Identifier: Apache-2.0
#include "core/heads/logistic_regression_head.h"

#include "core/heads/regression_head.h"

namespace cannery::heads {

Result<std::unique_ptr<Head>> makeLogisticRegressionHead(const spec::Head& message)
{
    CANNERY_TRY_ASSIGN(HeadOptions common, readHeadOptions(message.logistic_regression_head()));
    return makeLinkedRegressionHead({.common = std::move(common),
                                     .loss = losses::LossKind::SigmoidCrossEntropy,
                                     .inverseLink = InverseLink::Logistic});
}

} // namespace cannery::heads
