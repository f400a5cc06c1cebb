// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/number_summary.h"

#include "core/data/double_lanes.h"

#include <algorithm>

namespace cannery::data {

void NumberSummary::addGroup(std::span<const double> values)
{
    if (values.empty()) {
        return;
    }
    const detail::FirstPass found = detail::firstPass<detail::DoubleLanes>(values);
    const auto known = static_cast<double>(count);
    const auto added = static_cast<double>(values.size());
    const double addedMean = found.sum / added;
    const double difference = addedMean - mean;
    const double all = known + added;
    mean += difference * added / all;
    squares += detail::squaresAround<detail::DoubleLanes>(values, addedMean) +
               difference * difference * known * added / all;
    count += values.size();
    zeros += found.zeros;
    min = std::min(min, found.min);
    max = std::max(max, found.max);
}

} // namespace cannery::data
