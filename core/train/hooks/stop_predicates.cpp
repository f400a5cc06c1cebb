// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/stop_predicates.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace cannery::train {
namespace {

constexpr ErrorKind kUnknownMetric{
    "train.unknown_metric",
    "Early stopping watches the metric '{}', which evaluations lack; they have {}."};

bool isBetter(Better side, double value, double than)
{
    return side == Better::Higher ? value > than : value < than;
}

Result<double> valueOf(const EvalMetrics& metrics, const std::string& metric)
{
    const auto found = metrics.find(metric);
    if (found == metrics.end()) {
        std::vector<std::string> known;
        for (const auto& [name, value] : metrics) {
            known.push_back(name);
        }
        return fail(ErrorCode::NotFound, kUnknownMetric, metric,
                    fmt::format("{}", fmt::join(known, ", ")));
    }
    return found->second;
}

} // namespace

StopPredicate stopIfBeyond(Better side, const std::string& metric, double threshold,
                           std::int64_t minSteps)
{
    return [=](const EvalHistory& history) -> Result<std::string> {
        // Evaluations before minSteps do not count, as in TensorFlow.
        for (auto entry = history.lower_bound(minSteps); entry != history.end(); ++entry) {
            CANNERY_TRY_ASSIGN(const double value, valueOf(entry->second, metric));
            if (isBetter(side, value, threshold)) {
                return fmt::format("Early stopping: {} was {:.6g} at step {}, {} than {:.6g}.",
                                   metric, value, entry->first,
                                   side == Better::Higher ? "higher" : "lower", threshold);
            }
        }
        return std::string();
    };
}

StopPredicate stopIfNoBetter(Better side, const std::string& metric, std::int64_t maxSteps,
                             std::int64_t minSteps)
{
    return [=](const EvalHistory& history) -> Result<std::string> {
        std::optional<double> best;
        std::int64_t bestStep = 0;
        for (auto entry = history.lower_bound(minSteps); entry != history.end(); ++entry) {
            CANNERY_TRY_ASSIGN(const double value, valueOf(entry->second, metric));
            // The first evaluation is the best so far, and starts the count.
            if (!best || isBetter(side, value, *best)) {
                best = value;
                bestStep = entry->first;
            }
            // Steps without an improvement, not evaluations.
            if (entry->first - bestStep >= maxSteps) {
                return fmt::format(
                    "Early stopping: no {} of {} for {} steps; the best was {:.6g} at step {}.",
                    side == Better::Higher ? "increase" : "decrease", metric,
                    entry->first - bestStep, *best, bestStep);
            }
        }
        return std::string();
    };
}

} // namespace cannery::train
