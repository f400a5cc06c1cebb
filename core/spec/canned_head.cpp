// SPDX-License-Identifier: Apache-2.0
#include "core/spec/canned_head.h"

#include "core/spec/estimators.pb.h"

namespace cannery::spec {

namespace {

/// What the arguments of both classification heads have in common.
template <typename Classifier, typename ClassHead>
void copyClassArguments(const Classifier& classifier, ClassHead& head)
{
    if (classifier.has_weight_column()) {
        *head.mutable_weight_column() = classifier.weight_column();
    }
    *head.mutable_label_vocabulary() = classifier.label_vocabulary();
    head.set_loss_reduction(classifier.loss_reduction());
}

template <typename Classifier>
Head classHead(const Classifier& classifier)
{
    Head head;
    if (classifier.n_classes() <= 2) {
        copyClassArguments(classifier, *head.mutable_binary_class_head());
    } else {
        head.mutable_multi_class_head()->set_n_classes(classifier.n_classes());
        copyClassArguments(classifier, *head.mutable_multi_class_head());
    }
    return head;
}

template <typename Regressor>
Head regressionHead(const Regressor& regressor)
{
    Head head;
    RegressionHead& regression = *head.mutable_regression_head();
    regression.set_label_dimension(regressor.label_dimension());
    if (regressor.has_weight_column()) {
        *regression.mutable_weight_column() = regressor.weight_column();
    }
    regression.set_loss_reduction(regressor.loss_reduction());
    return head;
}

} // namespace

Head headOf(const Estimator& estimator)
{
    switch (estimator.kind_case()) {
    case Estimator::kLinearClassifier:
        return classHead(estimator.linear_classifier());
    case Estimator::kDnnClassifier:
        return classHead(estimator.dnn_classifier());
    case Estimator::kDnnLinearCombinedClassifier:
        return classHead(estimator.dnn_linear_combined_classifier());
    case Estimator::kBaselineClassifier:
        return classHead(estimator.baseline_classifier());
    case Estimator::kLinearRegressor:
        return regressionHead(estimator.linear_regressor());
    case Estimator::kDnnRegressor:
        return regressionHead(estimator.dnn_regressor());
    case Estimator::kDnnLinearCombinedRegressor:
        return regressionHead(estimator.dnn_linear_combined_regressor());
    case Estimator::kBaselineRegressor:
        return regressionHead(estimator.baseline_regressor());
    case Estimator::kLinearEstimator:
        return estimator.linear_estimator().head();
    case Estimator::kDnnEstimator:
        return estimator.dnn_estimator().head();
    case Estimator::kDnnLinearCombinedEstimator:
        return estimator.dnn_linear_combined_estimator().head();
    case Estimator::kBaselineEstimator:
        return estimator.baseline_estimator().head();
    case Estimator::KIND_NOT_SET:
        return {};
    }
    return {};
}

} // namespace cannery::spec
