// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cannery::spec {

class Estimator;

/// Handles of the feature columns of an estimator's parts, as written.
struct EstimatorColumns
{
    std::vector<std::string> linear;
    std::vector<std::string> dnn;

    bool operator==(const EstimatorColumns&) const = default;
};

EstimatorColumns columnsOf(const Estimator& estimator);

} // namespace cannery::spec
