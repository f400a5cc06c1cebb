// SPDX-License-Identifier: Apache-2.0
#include "core/sweep/fold_statistics.h"

#include <algorithm>
#include <cmath>

namespace cannery::sweep {

std::vector<MetricSpread> spreadOf(const std::vector<std::map<std::string, double>>& folds)
{
    std::vector<MetricSpread> spreads;
    if (folds.empty()) {
        return spreads;
    }
    const auto count = static_cast<double>(folds.size());
    for (const auto& [metric, first] : folds.front()) {
        const bool isInAll = std::all_of(folds.begin(), folds.end(),
                                         [&](const auto& fold) { return fold.contains(metric); });
        if (!isInAll) {
            continue;
        }
        double mean = 0;
        for (const auto& fold : folds) {
            mean += fold.at(metric) / count;
        }
        double squares = 0;
        for (const auto& fold : folds) {
            squares += std::pow(fold.at(metric) - mean, 2);
        }
        spreads.push_back(
            {.metric = metric, .mean = mean, .deviation = std::sqrt(squares / (count - 1))});
    }
    return spreads;
}

} // namespace cannery::sweep
