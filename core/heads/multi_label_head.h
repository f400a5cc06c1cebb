// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/heads/head.h"

#include <memory>

namespace cannery::spec {
class Head;
}

namespace cannery::heads {

/// Any subset of n classes from n logits: a sigmoid each, the mean of their cross entropies
/// (tf.estimator.MultiLabelHead).
Result<std::unique_ptr<Head>> makeMultiLabelHead(const spec::Head& message);

} // namespace cannery::heads
