// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/boosted_trees_estimator.h"

#include "core/estimators/boosted_trees_lowering.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerBoostedTreesEstimator(const LoweringRequest& request)
{
    const spec::BoostedTreesEstimator& trees =
        request.experiment.estimator().boosted_trees_estimator();
    return lowerBoostedTrees(request,
                             {trees.feature_columns().begin(), trees.feature_columns().end()});
}

} // namespace cannery::estimators
