// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/boosted_trees_classifier.h"

#include "core/estimators/boosted_trees_lowering.h"
#include "core/heads/binary_class_head.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerBoostedTreesClassifier(const LoweringRequest& request)
{
    const spec::BoostedTreesClassifier& trees =
        request.experiment.estimator().boosted_trees_classifier();
    CANNERY_TRY_ASSIGN(graph::LoweredModel model,
                       lowerBoostedTrees(request, {trees.feature_columns().begin(),
                                                   trees.feature_columns().end()}));
    if (model.head.has_binary_class_head()) {
        model.makeHead = [head = model.head] {
            return *heads::makeTreesBinaryClassHead(head); // made by the lowering without an error
        };
    }
    return model;
}

} // namespace cannery::estimators
