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
    std::string folder;          ///< what its relative paths are relative to
    std::string file;            ///< the file it was started from; may be gone by now
};

/// Nothing when the folder holds none (TensorFlow began it). "train.frozen_damaged" when it cannot
/// be understood.
Result<std::optional<FrozenExperiment>> readFrozenExperiment(const std::string& modelDir);

/// An experiment as a person wrote it, with what it leaves to chance and to the data (seeds, the
/// numbers of normalizers, how columns of the table are read) as it was decided when the run began:
/// rows that came later change no model's meaning. `table`: the columns that the table has now.
spec::Experiment withFrozenAnswers(spec::Experiment written, const spec::Experiment& frozen,
                                   const std::vector<spec::Column>& table);

struct AnsweredExperiment
{
    spec::Experiment experiment;
    data::Dataset trainData;
};

/// withFrozenAnswers(), and the training data opened as it says. `frozen` null: as it is.
Result<AnsweredExperiment> openAnswered(spec::Experiment written, const std::string& folder,
                                        const spec::Experiment* frozen);

/// What a checkpoint is opened for.
enum class Purpose
{
    Training,
    Inference, ///< how it was trained is all the same
};

/// What differs between two resolved experiments and decides what a checkpoint means: everything
/// but names, how long to train and how often to save, log, evaluate and export. Columns that only
/// one of them has are the table's doing, and do not count.
std::vector<spec::FieldDifference> differencesThatMatter(const spec::Experiment& frozen,
                                                         const spec::Experiment& resolved,
                                                         Purpose purpose);

/// "train.other_experiment" with what differs, when the model_dir belongs to another experiment.
Result<void> checkSameExperiment(const std::string& modelDir, const spec::Experiment& frozen,
                                 const spec::Experiment& resolved, Purpose purpose);

} // namespace cannery::train
