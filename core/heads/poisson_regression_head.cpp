// SPDX-License-Identifier: Apache-2.0
#include "core/heads/poisson_regression_head.h"

#include "core/heads/regression_head.h"

namespace cannery::heads {

Result<std::unique_ptr<Head>> makePoissonRegressionHead(const spec::Head& message)
{
    const spec::PoissonRegressionHead& head = message.poisson_regression_head();
    CANNERY_TRY_ASSIGN(HeadOptions common, readHeadOptions(head));
    return makeLinkedRegressionHead({.common = std::move(common),
                                     .labelDimension = head.label_dimension(),
                                     .loss = head.compute_full_loss()
                                                 ? losses::LossKind::PoissonFull
                                                 : losses::LossKind::Poisson,
                                     .inverseLink = InverseLink::Exponential});
}

} // namespace cannery::heads
