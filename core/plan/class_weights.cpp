// SPDX-License-Identifier: Apache-2.0
#include "core/plan/class_weights.h"

#include <algorithm>
#include <cmath>

namespace cannery::plan {

namespace {

float weightOf(std::span<const ClassWeight> classes, float id)
{
    const auto found = std::ranges::find_if(
        classes, [&](const ClassWeight& one) { return static_cast<float>(one.id) == id; });
    return found == classes.end() ? 1.0F : found->weight;
}

} // namespace

void weighByClass(const features::EncodedRows& batch, std::span<const ClassWeight> classes,
                  std::vector<float>& result)
{
    result.resize(batch.labels.size());
    for (std::size_t row = 0; row < result.size(); ++row) {
        const float lower = std::floor(batch.labels[row]);
        const float share = batch.labels[row] - lower;
        const float weight = share == 0.0F ? weightOf(classes, lower)
                                           : (1.0F - share) * weightOf(classes, lower) +
                                                 share * weightOf(classes, lower + 1.0F);
        result[row] = batch.weights.empty() ? weight : weight * batch.weights[row];
    }
}

} // namespace cannery::plan
