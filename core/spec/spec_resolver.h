// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace cannery::spec {

/// What a normalizer needs to know about a numeric feature over the training rows.
struct ColumnStatistics
{
    double mean = 0;
    double stddev = 1; ///< of the population
    double min = 0;
    double max = 1;
};

struct ResolveOptions
{
    /// Called for a feature (or column) whose normalizer takes its values from the data.
    std::function<std::optional<ColumnStatistics>(std::string_view feature)> statistics = {};
    /// Becomes tf_random_seed if the experiment has none.
    std::optional<std::int64_t> seed = std::nullopt;
};

/// Fills in what TensorFlow would, so that no default is left implicit:
/// - every scalar field of a present message that has a default is filled in;
/// - optimizers: Linear Ftrl 0.2, next to a DNN Ftrl min(0.005, 1/sqrt(number of linear columns)),
///   DNN Adagrad 0.001, Baseline Ftrl 0.3 (`ftrl {}` alone keeps Keras's 0.001);
/// - save_checkpoints_secs 600 if neither cadence is given;
/// - train_spec, eval_spec (if there is something to evaluate on; its rows are not shuffled unless
///   requested), run_config and strategy if absent;
/// - shapes, hash keys, embedding initializers, head weights, what warm start restores;
/// - whether a higher metric is better, for best exporters and sweeps;
/// - normalizer statistics, if options.statistics provides them.
/// Idempotent; the result is as valid as the argument.
Experiment resolve(const Experiment& experiment, const ResolveOptions& options = {});

} // namespace cannery::spec
