// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/heads/supervised_head.h"
#include "core/metrics/metric_catalog.h"
#include "core/metrics/metric_set.h"

#include <span>
#include <string>
#include <vector>

namespace cannery::heads {

/// A metric of a head: of one of its series, see Head::addMetrics().
struct HeadMetric
{
    std::string name;
    metrics::MetricKind kind = metrics::MetricKind::Mean;
    int series = 0;
    float threshold = 0.5F; ///< see metrics::makeMetric()
};

/// Adds them to a set, their series counted from `firstSeries`.
void addHeadMetrics(std::span<const HeadMetric> chosen, metrics::MetricSet& set, int firstSeries);

/// The values of a series in a graph: float tensors of one element count, but for weights, which
/// are broadcast.
struct SeriesNodes
{
    storage::NodeRef predictions;
    storage::NodeRef labels;  ///< without a node in a series of predictions alone
    storage::NodeRef weights; ///< all 1 if it has no node
};

/// Emits metrics that TensorFlow's heads have, by the formulas of core/metrics and in the float32
/// sums of tf.keras.metrics, below the open scope. `series` is indexed by HeadMetric::series.
void emitHeadMetrics(storage::GraphDefBuilder& graph, std::span<const HeadMetric> chosen,
                     std::span<const SeriesNodes> series, SupervisedNodes& out);

} // namespace cannery::heads
