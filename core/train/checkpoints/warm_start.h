// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/base/shape.h"
#include "core/plan/model.h"
#include "core/spec/training.pb.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::train {

/// What a warm start does with one variable.
struct WarmStartVariable
{
    std::string name;
    Shape shape;                        ///< here
    std::vector<std::size_t> patterns;  ///< those that select it, by their place in the settings
    bool isSelected = false;            ///< by a pattern or by a vocabulary
    bool movesWords = false;            ///< rows or columns follow their words
    std::string previousName;           ///< in the checkpoint
    std::optional<Shape> previousShape; ///< empty if the checkpoint has no such variable
    std::optional<Error> problem;       ///< why it is selected but cannot be restored
};

struct WarmStartSurvey
{
    std::string checkpoint; ///< prefix that the values come from
    /// All that the settings could select: the trainable ones, any if there is a list of patterns;
    /// then also global_step.
    std::vector<WarmStartVariable> variables;
    std::vector<std::string> patterns;      ///< of the settings; ".*" if they have none
    std::optional<std::int64_t> globalStep; ///< if it is selected
    std::optional<Error> unused;            ///< an entry that refers to no restored variable
};

struct WarmStartOutcome
{
    std::string checkpoint;                 ///< prefix that the values came from
    std::vector<std::string> variables;     ///< restored ones, by name
    std::optional<std::int64_t> globalStep; ///< if the list of patterns selects global_step
};

/// Fills a fresh model's variables from another model's checkpoint, folder with checkpoints or
/// SavedModel (tf.estimator.WarmStartSettings):
/// - a pattern selects the trainable variables whose names match from their beginning, a list of
///   patterns any variables including optimizer slots and global_step, no pattern only those with a
///   vocabulary;
/// - `var_name_to_prev_var_name` gives their names in the checkpoint; in object-based checkpoints
///   they are found by their full name or their path;
/// - `var_name_to_vocab_info` moves rows (axis 0) or columns (axis 1) by their words; new words
///   come from the backup initializer (none: zeros).
///
/// `folder`: base of relative paths; `seed`: for random backup initializers. Errors:
/// "train.warm_start_source", "train.warm_start_missing", "train.warm_start_shape",
/// "train.warm_start_words", "train.warm_start_unused", "train.warm_start_pattern",
/// "train.warm_start_vocabulary".
Result<WarmStartOutcome> warmStart(const spec::WarmStart& settings, const std::string& folder,
                                   std::span<const plan::StateTensor> state, std::uint64_t seed);

/// Does the same, but reports every variable and goes on after one that does not fit. Errors:
/// "train.warm_start_source", "train.warm_start_pattern".
Result<WarmStartSurvey> surveyWarmStart(const spec::WarmStart& settings, const std::string& folder,
                                        std::span<const plan::StateTensor> state,
                                        std::uint64_t seed);

} // namespace cannery::train
