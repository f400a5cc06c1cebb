// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace cannery::spec {

/// What a normalizer needs to know of a numeric feature over the training rows.
struct ColumnStatistics
{
    double mean = 0;
    double stddev = 1; ///< of the population
    double min = 0;
    double max = 1;
};

struct ResolveOptions
{
    /// Asked for a feature (or column) whose normalizer leaves its numbers to the data.
    std::function<std::optional<ColumnStatistics>(std::string_view feature)> statistics = {};
    /// Becomes tf_random_seed when the experiment has none.
    std::optional<std::int64_t> seed = std::nullopt;
};

/// Fills in what TensorFlow would, so that nothing is left to a default:
/// - every scalar field of a present message that has a default is written out;
/// - optimizers: Linear Ftrl 0.2, beside a DNN Ftrl min(0.005, 1/sqrt(number of linear columns)),
///   DNN Adagrad 0.001, Baseline Ftrl 0.3 (`ftrl {}` alone keeps Keras's 0.001);
/// - save_checkpoints_secs 600 when neither cadence is given;
/// - train_spec, eval_spec (when there is something to evaluate on; its rows are not shuffled
///   unless asked for), run_config and strategy when absent;
/// - shapes, hash keys, embedding initializers, head weights, what warm start restores;
/// - normalizer statistics, when options.statistics knows them.
/// Idempotent; the result is as valid as the argument.
Experiment resolve(const Experiment& experiment, const ResolveOptions& options = {});

} // namespace cannery::spec
