// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"
#include "core/spec/head_kinds.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::metrics {

/// What the batches of a metric come from. By kind of label, a row has
/// - Number: `width` predictions and labels,
/// - Probability: that of class 1, and a label from 0 to 1,
/// - ClassId: the probabilities of `width` classes, and the id of the right one,
/// - MultiHot: `width` probabilities, and as many labels 0 or 1.
struct MetricSubject
{
    spec::LabelKind labels = spec::LabelKind::Number;
    std::int64_t width = 1;
    std::vector<std::string> classes; ///< their names; empty for numbers
};

/// The most probable class, the first one on ties.
inline std::size_t mostProbable(std::span<const float> probabilities)
{
    return static_cast<std::size_t>(std::max_element(probabilities.begin(), probabilities.end()) -
                                    probabilities.begin());
}

/// The probabilities of a row whose label is a class id.
inline std::span<const float> classProbabilities(const MetricBatch& batch, std::size_t row)
{
    const std::size_t width = batch.predictions.size() / batch.labels.size();
    return batch.predictions.subspan(row * width, width);
}

} // namespace cannery::metrics
