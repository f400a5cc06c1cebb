// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/feature_encoder.h"
#include "core/graph/lowered_model.h"
#include "core/train/exporters/exporter.h"

#include <string>

namespace cannery::train {

/// Writes the variables of a checkpoint with the graph of its model as a SavedModel in a new folder
/// below `request.exportBase`; returns that folder. `experimentFolder`: base of the relative paths
/// of extra files, and of the experiment's tables, which warm-up rows are read from.
/// "train.asset_name" for a file that would not be below assets.extra/.
Result<std::string> exportCheckpoint(const features::FeatureEncoder& encoder,
                                     const graph::LoweredModel& lowered,
                                     const ModelExportRequest& request,
                                     const std::string& experimentFolder);

} // namespace cannery::train
