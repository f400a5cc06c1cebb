// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"
#include "storage/tf/graphs/saved_model.h"

#include <filesystem>
#include <span>
#include <string>

namespace cannery::exporting {

/// Below assets.extra/ of our SavedModels: what their model is, for opening them without the run.
/// TensorFlow ignores it.
inline constexpr const char* kServedExperimentFile = "cannery/experiment.cannery";

/// The text of that file: the experiment without what predicting does not need (how it was trained,
/// in which folder its tables are), with a line of its checksum, and a comment if products were
/// rounded in training. It is a valid experiment. A vocabulary file that is an asset of the
/// SavedModel is named relative to the SavedModel's folder. `folder`: base of the experiment's
/// relative paths.
std::string servedExperiment(const spec::Experiment& resolved, const std::filesystem::path& folder,
                             std::span<const storage::AssetInfo> assets);

/// The experiment of one of our SavedModels; the files that it names are in the SavedModel's
/// folder. Errors: "export.no_experiment" if TensorFlow or an earlier version wrote it,
/// "export.experiment_damaged" (also if it is not valid), "io.outside" for a file elsewhere.
Result<spec::Experiment> readServedExperiment(const std::string& savedModel);

} // namespace cannery::exporting
