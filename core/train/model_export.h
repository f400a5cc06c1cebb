// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/feature_encoder.h"
#include "core/graph/lowered_model.h"
#include "core/train/exporters/exporter.h"

#include <string>

namespace cannery::train {

/// Writes the variables of a checkpoint with the graph of its model as a SavedModel in a new folder
/// below `request.exportBase`; returns that folder.
Result<std::string> exportCheckpoint(const features::FeatureEncoder& encoder,
                                     const graph::LoweredModel& lowered,
                                     const ModelExportRequest& request);

} // namespace cannery::train
