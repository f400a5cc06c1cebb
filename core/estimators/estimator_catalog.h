// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

#include <span>
#include <string_view>

namespace cannery::estimators {

struct EstimatorRow
{
    spec::Estimator::KindCase key;
    std::string_view name;           ///< of the field of spec::Estimator: "dnn_classifier"
    std::string_view tensorflowName; ///< "DNNClassifier"
    Lowering lower;
};

/// Every estimator, in the order of the schema.
std::span<const EstimatorRow> estimatorCatalog();

/// Lowers the experiment's estimator. Errors: "estimators.none" if none is set, and those of
/// estimator.h.
Result<graph::LoweredModel> lower(const spec::Experiment& resolved,
                                  const features::InputLayout& layout);

} // namespace cannery::estimators
