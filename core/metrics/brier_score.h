// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::spec {
class Metric;
} // namespace cannery::spec

namespace cannery::metrics {

struct MetricSubject;

/// Brier (1950), Verification of forecasts expressed in terms of probability: the mean of
/// (p - y)² for a probability, and for several their sum over the classes.
std::unique_ptr<Metric> makeBrierScore(const spec::Metric& metric, const MetricSubject& subject);

} // namespace cannery::metrics
