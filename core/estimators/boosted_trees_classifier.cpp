// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/boosted_trees_classifier.h"

#include "core/estimators/boosted_trees_lowering.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerBoostedTreesClassifier(const LoweringRequest& request)
{
    const spec::BoostedTreesClassifier& trees =
        request.experiment.estimator().boosted_trees_classifier();
    return lowerBoostedTrees(request,
                             {trees.feature_columns().begin(), trees.feature_columns().end()});
}

} // namespace cannery::estimators
