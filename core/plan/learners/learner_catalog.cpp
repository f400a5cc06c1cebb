// SPDX-License-Identifier: Apache-2.0
#include "core/plan/learners/learner_catalog.h"

#include "core/base/catalog.h"
#include "core/base/check.h"
#include "core/plan/learners/layered_tree_learner.h"

#include <array>

namespace cannery::plan {

namespace {

constexpr auto kCatalog = std::to_array<LearnerRow>({
    {spec::Estimator::kBoostedTreesClassifier, makeTreeLearner},
    {spec::Estimator::kBoostedTreesRegressor, makeTreeLearner},
    {spec::Estimator::kBoostedTreesEstimator, makeTreeLearner},
});

} // namespace

std::span<const LearnerRow> learnerCatalog()
{
    return kCatalog;
}

Result<std::unique_ptr<Learner>> makeLearner(const LearnerRequest& request)
{
    CANNERY_CHECK(request.lowered.learner != nullptr);
    const LearnerRow* row = findRow(kCatalog, request.lowered.learner->estimator.kind_case());
    CANNERY_CHECK(row != nullptr);
    return row->make(request);
}

} // namespace cannery::plan
