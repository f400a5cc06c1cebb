// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/heads/head.h"

#include <memory>

namespace cannery::spec {
class Head;
}

namespace cannery::heads {

/// A proportion between 0 and 1: prediction sigmoid(z), sigmoid cross entropy
/// (tf.estimator.LogisticRegressionHead).
Result<std::unique_ptr<Head>> makeLogisticRegressionHead(const spec::Head& message);

} // namespace cannery::heads
