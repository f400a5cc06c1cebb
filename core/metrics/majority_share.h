// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::metrics {

/// The fraction of the most frequent class among labels that are class ids: the accuracy of always
/// predicting that class.
std::unique_ptr<Metric> makeMajorityShare(float);

} // namespace cannery::metrics
