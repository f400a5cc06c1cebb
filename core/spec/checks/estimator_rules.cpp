// SPDX-License-Identifier: Apache-2.0
#include "core/spec/checks/estimator_rules.h"

#include "core/base/catalog.h"
#include "core/spec/message_access.h"

#include <array>

namespace cannery::spec {

namespace {

constexpr auto kEstimatorRules = std::to_array<EstimatorRules>({
    {Estimator::kKmeans, checkClusters},
});

} // namespace

const EstimatorRules* findEstimatorRules(const Estimator& estimator)
{
    return findRow(kEstimatorRules, estimator.kind_case());
}

void checkEstimatorRules(ValidationContext& context)
{
    const Estimator& estimator = context.experiment.estimator();
    if (const EstimatorRules* rules = findEstimatorRules(estimator)) {
        rules->check(context, SpecPath{}.child("estimator").child(memberField(estimator)->name()));
    }
}

} // namespace cannery::spec
