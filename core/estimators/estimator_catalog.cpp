// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/estimator_catalog.h"

#include "core/base/catalog.h"
#include "core/estimators/baseline_classifier.h"
#include "core/estimators/baseline_estimator.h"
#include "core/estimators/baseline_regressor.h"
#include "core/estimators/boosted_trees_classifier.h"
#include "core/estimators/boosted_trees_estimator.h"
#include "core/estimators/boosted_trees_regressor.h"
#include "core/estimators/custom_estimator.h"
#include "core/estimators/dnn_classifier.h"
#include "core/estimators/dnn_estimator.h"
#include "core/estimators/dnn_linear_combined_classifier.h"
#include "core/estimators/dnn_linear_combined_estimator.h"
#include "core/estimators/dnn_linear_combined_regressor.h"
#include "core/estimators/dnn_regressor.h"
#include "core/estimators/kmeans.h"
#include "core/estimators/linear_classifier.h"
#include "core/estimators/linear_estimator.h"
#include "core/estimators/linear_regressor.h"
#include "core/estimators/rnn_classifier.h"
#include "core/estimators/rnn_estimator.h"

#include <array>

namespace cannery::estimators {

namespace {

constexpr ErrorKind kNone{"estimators.none", "The experiment names no estimator; add one, such as "
                                             "estimator {{ linear_classifier {{ ... }} }}."};

constexpr auto kCatalog = std::to_array<EstimatorRow>({
    {spec::Estimator::kLinearClassifier, "linear_classifier", "LinearClassifier",
     lowerLinearClassifier},
    {spec::Estimator::kLinearRegressor, "linear_regressor", "LinearRegressor",
     lowerLinearRegressor},
    {spec::Estimator::kLinearEstimator, "linear_estimator", "LinearEstimator",
     lowerLinearEstimator},
    {spec::Estimator::kDnnClassifier, "dnn_classifier", "DNNClassifier", lowerDnnClassifier},
    {spec::Estimator::kDnnRegressor, "dnn_regressor", "DNNRegressor", lowerDnnRegressor},
    {spec::Estimator::kDnnEstimator, "dnn_estimator", "DNNEstimator", lowerDnnEstimator},
    {spec::Estimator::kDnnLinearCombinedClassifier, "dnn_linear_combined_classifier",
     "DNNLinearCombinedClassifier", lowerDnnLinearCombinedClassifier},
    {spec::Estimator::kDnnLinearCombinedRegressor, "dnn_linear_combined_regressor",
     "DNNLinearCombinedRegressor", lowerDnnLinearCombinedRegressor},
    {spec::Estimator::kDnnLinearCombinedEstimator, "dnn_linear_combined_estimator",
     "DNNLinearCombinedEstimator", lowerDnnLinearCombinedEstimator},
    {spec::Estimator::kBaselineClassifier, "baseline_classifier", "BaselineClassifier",
     lowerBaselineClassifier},
    {spec::Estimator::kBaselineRegressor, "baseline_regressor", "BaselineRegressor",
     lowerBaselineRegressor},
    {spec::Estimator::kBaselineEstimator, "baseline_estimator", "BaselineEstimator",
     lowerBaselineEstimator},
    {spec::Estimator::kBoostedTreesClassifier, "boosted_trees_classifier", "BoostedTreesClassifier",
     lowerBoostedTreesClassifier},
    {spec::Estimator::kBoostedTreesRegressor, "boosted_trees_regressor", "BoostedTreesRegressor",
     lowerBoostedTreesRegressor},
    {spec::Estimator::kBoostedTreesEstimator, "boosted_trees_estimator", "BoostedTreesEstimator",
     lowerBoostedTreesEstimator},
    {spec::Estimator::kKmeans, "kmeans", "KMeans", lowerKMeans},
    {spec::Estimator::kRnnClassifier, "rnn_classifier", "RNNClassifier", lowerRnnClassifier},
    {spec::Estimator::kRnnEstimator, "rnn_estimator", "RNNEstimator", lowerRnnEstimator},
    {spec::Estimator::kCustomEstimator, "custom_estimator", "CustomEstimator",
     lowerCustomEstimator},
});

} // namespace

std::span<const EstimatorRow> estimatorCatalog()
{
    return kCatalog;
}

Result<graph::LoweredModel> lower(const spec::Experiment& resolved,
                                  const features::InputLayout& layout)
{
    const EstimatorRow* row = findRow(kCatalog, resolved.estimator().kind_case());
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNone);
    }
    return row->lower({.experiment = resolved, .layout = layout});
}

} // namespace cannery::estimators
