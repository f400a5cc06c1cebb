// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace cannery::sweep {

/// A metric over the folds of a cross-validation.
struct MetricSpread
{
    std::string metric;
    double mean = 0;
    double deviation = 0; ///< of the sample, with n - 1 in the denominator; NaN for a single fold
};

/// Every metric that all folds have, in alphabetical order. NaN in a fold gives NaN.
std::vector<MetricSpread> spreadOf(const std::vector<std::map<std::string, double>>& folds);

} // namespace cannery::sweep
