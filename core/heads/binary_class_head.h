// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/heads/head.h"

#include <memory>

namespace cannery::spec {
class Head;
}

namespace cannery::heads {

/// Two classes from one logit z: probabilities softmax(0, z), class 1 if z > 0, sigmoid cross
/// entropy; soft labels between 0 and 1 are allowed (tf.estimator.BinaryClassHead).
Result<std::unique_ptr<Head>> makeBinaryClassHead(const spec::Head& message);
/// The same as TensorFlow's canned boosted trees have it, whose auc_precision_recall is a sum of
/// trapezoids.
Result<std::unique_ptr<Head>> makeTreesBinaryClassHead(const spec::Head& message);

} // namespace cannery::heads
