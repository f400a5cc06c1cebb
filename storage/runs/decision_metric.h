// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/runs/run_record.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// A metric by which a run's checkpoints are compared.
struct DecisionMetric
{
    std::string name;
    bool higherIsBetter = false;

    /// Whether a value is better than another; NaN is worse than any value.
    bool isBetter(double value, double than) const;

    bool operator==(const DecisionMetric&) const = default;
};

/// False for losses, errors and times, true for everything else.
bool higherIsBetter(std::string_view metric);

/// Candidates for the meaning of "best" in a run, in order: the metrics of its early stopping hooks
/// and best exporters, then auc, accuracy, average_loss and loss. The first that is evaluated
/// decides. A configured "loss" is only TensorFlow's default and is ignored. `parameters` are a
/// RunInfo's.
std::vector<DecisionMetric> decisionMetrics(std::span<const RunParameter> parameters);

/// The first of them that an evaluation has.
std::optional<DecisionMetric> chooseMetric(std::span<const DecisionMetric> metrics,
                                           const RunEvaluation& evaluation);

/// The best evaluation.
struct BestEvaluation
{
    DecisionMetric metric;
    std::string evaluation; ///< name of the eval_spec; empty for the unnamed one
    std::int64_t globalStep = 0;
    double value = 0;
};

/// The best evaluation of a run by its decision metric, the earliest on ties. Nothing if there are
/// no evaluations. Unnamed evaluations count or, if there are none, those with the last one's name;
/// of several at one step, the last. `counts`: only steps for which it is true; all if empty.
std::optional<BestEvaluation> bestEvaluation(std::span<const RunParameter> parameters,
                                             std::span<const RunEvaluation> evaluations,
                                             const std::function<bool(std::int64_t)>& counts = {});

/// The same among the checkpoints that a run still has: the model that "best" refers to.
std::optional<BestEvaluation> bestCheckpoint(const RunDetails& run);

} // namespace cannery::storage
