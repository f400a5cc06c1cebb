// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/pipeline/feature_batch.h"
#include "core/features/feature_encoder.h"
#include "core/features/raw_order.h"
#include "core/graph/lowered_model.h"

#include <span>
#include <string>
#include <vector>

namespace cannery::exporting {

/// The raw numbers at which ids of the model's columns change or its trees branch. `folder`: a
/// SavedModel of the model. Errors: unreadable variables, and those of TreeModel.
Result<std::vector<features::RawEdges>> edgesOf(const features::FeatureEncoder& encoder,
                                                const graph::LoweredModel& lowered,
                                                const std::string& folder);

/// Sets numbers of the rows to float32 neighbours on both sides of these boundaries: each row gets
/// one of every feature that has some, evenly chosen if there are more than rows. Returns how many
/// of the rows, from the first, are changed.
std::int64_t putEdges(std::span<const features::RawEdges> edges, data::FeatureBatch& rows);

} // namespace cannery::exporting
