// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/model.h"
#include "core/spec/training.pb.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::train {

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

} // namespace cannery::train
