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
    weighByClass(batch.labels, batch.weights, classes, result);
}

void weighByClass(std::span<const float> labels, std::span<const float> weights,
                  std::span<const ClassWeight> classes, std::span<float> result)
{
    for (std::size_t row = 0; row < result.size(); ++row) {
        const float lower = std::floor(labels[row]);
        const float share = labels[row] - lower;
        const float weight = share == 0.0F ? weightOf(classes, lower)
                                           : (1.0F - share) * weightOf(classes, lower) +
                                                 share * weightOf(classes, lower + 1.0F);
        result[row] = weights.empty() ? weight : weight * weights[row];
    }
}

} // namespace cannery::plan
