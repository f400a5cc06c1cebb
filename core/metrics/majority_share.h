// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::metrics {

/// The share of the commonest class among labels that are class ids: the accuracy of always
/// answering that class.
std::unique_ptr<Metric> makeMajorityShare(float);

} // namespace cannery::metrics
