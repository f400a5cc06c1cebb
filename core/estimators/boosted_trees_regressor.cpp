// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/boosted_trees_regressor.h"

#include "core/estimators/boosted_trees_lowering.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerBoostedTreesRegressor(const LoweringRequest& request)
{
    const spec::BoostedTreesRegressor& trees =
        request.experiment.estimator().boosted_trees_regressor();
    return lowerBoostedTrees(request,
                             {trees.feature_columns().begin(), trees.feature_columns().end()});
}

} // namespace cannery::estimators
