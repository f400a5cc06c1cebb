// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/heads/head.h"

#include <memory>

namespace cannery::spec {
class Head;
}

namespace cannery::heads {

/// One of n > 2 classes from n logits: softmax, the class of the first largest logit, softmax cross
/// entropy (tf.estimator.MultiClassHead).
Result<std::unique_ptr<Head>> makeMultiClassHead(const spec::Head& message);

} // namespace cannery::heads
