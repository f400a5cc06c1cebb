#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/spec_diff.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// The experiment that a run froze into its folder.
struct FrozenExperiment
{
    spec::Experiment experiment; ///< resolved
    std::string folder;          ///< what its relative paths are relative to
    std::string file;            ///< the file it was started from; may be gone by now
};

/// Nothing when the folder holds none (TensorFlow began it). "train.frozen_damaged" when it cannot
/// be understood.
Result<std::optional<FrozenExperiment>> readFrozenExperiment(const std::string& modelDir);

/// What differs between two resolved experiments and decides what a checkpoint means: everything
/// but names, how long to train and how often to save, log, evaluate and export.
std::vector<spec::FieldDifference> differencesThatMatter(const spec::Experiment& frozen,
                                                         const spec::Experiment& resolved);

/// "train.other_experiment" with what differs, when the model_dir belongs to another experiment.
Result<void> checkSameExperiment(const std::string& modelDir, const spec::Experiment& frozen,
                                 const spec::Experiment& resolved);

} // namespace cannery::train
