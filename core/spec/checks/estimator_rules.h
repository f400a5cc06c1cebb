// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/checks/validation_context.h"

namespace cannery::spec {

/// The rules of an estimator that neither the schema's options nor what its fields are called can
/// express; most estimators have none.
struct EstimatorRules
{
    Estimator::KindCase key = Estimator::KIND_NOT_SET;
    /// Reports problems. @param path of the member: `estimator.kmeans`.
    void (*check)(ValidationContext& context, const SpecPath& path) = nullptr;
};

/// Rules of the estimator that is set, or nullptr.
const EstimatorRules* findEstimatorRules(const Estimator& estimator);

/// Where the centers of k-means start.
void checkClusters(ValidationContext& context, const SpecPath& path);

} // namespace cannery::spec
