// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/heads/head.h"

namespace cannery::heads {

/// What tf.compat.v1.estimator.experimental.KMeans does after its distances: its logits are the
/// distances of each row from `clusters` centers, and there are no labels. Loss: the sum over the
/// batch of the distance to the nearest. Predictions `all_distances` and `cluster_index`, metrics
/// `loss` and `score`, three signatures. No experiment names it; k-means makes its own.
std::unique_ptr<Head> makeClusteringHead(std::int64_t clusters);

} // namespace cannery::heads
