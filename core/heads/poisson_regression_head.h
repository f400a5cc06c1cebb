// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/heads/head.h"

#include <memory>

namespace cannery::spec {
class Head;
}

namespace cannery::heads {

/// Counts: prediction exp(z), the Poisson log-likelihood, including the terms that do not depend on
/// z unless compute_full_loss is false (tf.estimator.PoissonRegressionHead).
Result<std::unique_ptr<Head>> makePoissonRegressionHead(const spec::Head& message);

} // namespace cannery::heads
