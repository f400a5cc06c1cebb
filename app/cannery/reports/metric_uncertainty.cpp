// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/metric_uncertainty.h"

#include <algorithm>
#include <cmath>

namespace cannery::app {

namespace {

/// Of the normal distribution: 95 % lie within so many deviations.
constexpr double kDeviations = 1.959964;

/// As if two more rows were right and two wrong.
double ofShare(double share, double rows)
{
    const double right = (share * rows + 2) / (rows + 4);
    return kDeviations * std::sqrt(right * (1 - right) / (rows + 4));
}

std::optional<double> ofAuc(double auc, double positives, double negatives)
{
    // The formula does not cover a perfect order.
    if (positives < 1 || negatives < 1 || auc >= 1) {
        return std::nullopt;
    }
    const double q1 = auc / (2 - auc);
    const double q2 = 2 * auc * auc / (1 + auc);
    const double variance = (auc * (1 - auc) + (positives - 1) * (q1 - auc * auc) +
                             (negatives - 1) * (q2 - auc * auc)) /
                            (positives * negatives);
    return kDeviations * std::sqrt(std::max(0.0, variance));
}

} // namespace

std::optional<double> uncertaintyOf(const train::EvaluationResult& result, std::string_view metric)
{
    const std::optional<double> value = result.find(metric);
    const auto rows = static_cast<double>(result.rows);
    if (!value || !std::isfinite(*value) || rows < 2) {
        return std::nullopt;
    }
    if (metric == "accuracy") {
        return ofShare(std::clamp(*value, 0.0, 1.0), rows);
    }
    if (metric == "auc") {
        const std::optional<double> positives = result.find("label/mean");
        return positives ? ofAuc(*value, *positives * rows, (1 - *positives) * rows) : std::nullopt;
    }
    if (metric == "cannery/r2" && *value > 0) {
        return kDeviations * 2 * std::sqrt(*value) * (1 - *value) / std::sqrt(rows);
    }
    if (metric == "cannery/rmse") {
        return kDeviations * *value / std::sqrt(2 * rows);
    }
    return std::nullopt;
}

} // namespace cannery::app
