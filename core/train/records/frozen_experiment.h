// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
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
    std::string folder;          ///< base of its relative paths
    std::string file;            ///< the file it was started from; may no longer exist
};

/// Nothing if the folder holds none (TensorFlow created it). "train.frozen_damaged" if it cannot be
/// parsed.
Result<std::optional<FrozenExperiment>> readFrozenExperiment(const std::string& modelDir);

/// An experiment as the user wrote it, with everything it leaves to chance and to the data (seeds,
/// values of normalizers, how columns of the table are read) as decided when the run began: rows
/// added later do not change the meaning of the model. `table`: the columns that the table has now.
spec::Experiment withFrozenAnswers(spec::Experiment written, const spec::Experiment& frozen,
                                   const std::vector<spec::Column>& table);

struct AnsweredExperiment
{
    spec::Experiment experiment;
    data::Dataset trainData;
};

/// withFrozenAnswers(), with the training data opened accordingly, the kinds of its columns
/// unknown. `frozen` null: unchanged.
Result<AnsweredExperiment> openAnswered(spec::Experiment written, const std::string& folder,
                                        const spec::Experiment* frozen);

/// What a checkpoint is opened for.
enum class Purpose
{
    Training,
    Inference, ///< how it was trained does not matter
};

/// The differences between two resolved experiments that change what a checkpoint means: everything
/// but names, how long to train and how often to save, log, evaluate and export. Columns that only
/// one of them has are due to the table, and do not count.
std::vector<spec::FieldDifference> differencesThatMatter(const spec::Experiment& frozen,
                                                         const spec::Experiment& resolved,
                                                         Purpose purpose);

/// "train.other_experiment", with the differences, if the model_dir belongs to another experiment.
Result<void> checkSameExperiment(const std::string& modelDir, const spec::Experiment& frozen,
                                 const spec::Experiment& resolved, Purpose purpose);

} // namespace cannery::train
