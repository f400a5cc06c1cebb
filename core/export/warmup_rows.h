// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/features/feature_emitter.h"
#include "storage/tf/graphs/saved_model.h"
#include "storage/tf/graphs/warmup_requests.h"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace cannery::exporting {

/// A request of one row for each row that a client could send to this model, in order: of the
/// signature "predict", or of the first one of a model without it. "export.warmup_features" if the
/// rows lack an input. `numbers`: features::numberFeatures() of the model.
Result<std::vector<storage::WarmupRequest>> warmupRequests(const storage::MetaGraph& metaGraph,
                                                           std::span<const data::FeatureBatch> rows,
                                                           features::Receiver receiver,
                                                           const std::set<std::string>& numbers);

} // namespace cannery::exporting
