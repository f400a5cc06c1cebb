// SPDX-License-Identifier: Apache-2.0
#include "core/spec/histogram_growth.h"

#include "core/spec/estimator_columns.h"

#include <algorithm>

namespace cannery::spec {

namespace {

template <typename Trees>
const HistogramGrowth* growthOf(const Trees& trees)
{
    return trees.has_histogram() ? &trees.histogram() : nullptr;
}

} // namespace

const HistogramGrowth* histogramGrowthOf(const Estimator& estimator)
{
    switch (estimator.kind_case()) {
    case Estimator::kBoostedTreesClassifier:
        return growthOf(estimator.boosted_trees_classifier());
    case Estimator::kBoostedTreesRegressor:
        return growthOf(estimator.boosted_trees_regressor());
    case Estimator::kBoostedTreesEstimator:
        return growthOf(estimator.boosted_trees_estimator());
    default:
        return nullptr;
    }
}

bool keepsMissingNumbers(const Experiment& experiment, const std::string& column)
{
    if (histogramGrowthOf(experiment.estimator()) == nullptr) {
        return false;
    }
    const std::vector<PartColumns> lists = partColumnsOf(experiment.estimator());
    const bool isRead = std::ranges::any_of(lists, [&](const PartColumns& list) {
        return std::ranges::find(list.handles, column) != list.handles.end();
    });
    return isRead && std::ranges::none_of(experiment.feature_column(), [&](const auto& other) {
               return other.bucketized_column().source_column() == column;
           });
}

} // namespace cannery::spec
