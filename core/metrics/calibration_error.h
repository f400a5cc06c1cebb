// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::spec {
class Metric;
} // namespace cannery::spec

namespace cannery::metrics {

struct MetricSubject;

/// The expected calibration error of Naeini, Cooper and Hauskrecht (2015): rows in bins (0, 1/n],
/// (1/n, 2/n] ... of their probability, 0 in the first; the mean over the rows of the distance
/// between the mean probability and the share of right ones in their bin. Of class ids, the highest
/// probability and whether its class is right (Guo et al. 2017).
std::unique_ptr<Metric> makeCalibrationError(const spec::Metric& metric,
                                             const MetricSubject& subject);

} // namespace cannery::metrics
