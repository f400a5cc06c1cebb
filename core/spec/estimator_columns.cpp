// SPDX-License-Identifier: Apache-2.0
#include "core/spec/estimator_columns.h"

#include "core/spec/estimators.pb.h"

namespace cannery::spec {

namespace {

std::vector<std::string> list(const google::protobuf::RepeatedPtrField<std::string>& names)
{
    return {names.begin(), names.end()};
}

template <typename Combined>
EstimatorColumns combined(const Combined& estimator)
{
    return {list(estimator.linear_feature_columns()), list(estimator.dnn_feature_columns())};
}

} // namespace

EstimatorColumns columnsOf(const Estimator& estimator)
{
    switch (estimator.kind_case()) {
    case Estimator::kLinearClassifier:
        return {list(estimator.linear_classifier().feature_columns()), {}};
    case Estimator::kLinearRegressor:
        return {list(estimator.linear_regressor().feature_columns()), {}};
    case Estimator::kLinearEstimator:
        return {list(estimator.linear_estimator().feature_columns()), {}};
    case Estimator::kDnnClassifier:
        return {{}, list(estimator.dnn_classifier().feature_columns())};
    case Estimator::kDnnRegressor:
        return {{}, list(estimator.dnn_regressor().feature_columns())};
    case Estimator::kDnnEstimator:
        return {{}, list(estimator.dnn_estimator().feature_columns())};
    case Estimator::kDnnLinearCombinedClassifier:
        return combined(estimator.dnn_linear_combined_classifier());
    case Estimator::kDnnLinearCombinedRegressor:
        return combined(estimator.dnn_linear_combined_regressor());
    case Estimator::kDnnLinearCombinedEstimator:
        return combined(estimator.dnn_linear_combined_estimator());
    case Estimator::kBaselineClassifier:
    case Estimator::kBaselineRegressor:
    case Estimator::kBaselineEstimator:
    case Estimator::KIND_NOT_SET:
        return {};
    }
    return {};
}

} // namespace cannery::spec
