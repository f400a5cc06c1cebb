// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/scaled_classifier.h"

#include "core/estimators/model_assembly.h"

namespace cannery::estimators {

Result<graph::LoweredModel> lowerScaledClassifier(const LoweringRequest& request)
{
    const spec::ScaledClassifier& message = request.experiment.estimator().scaled_classifier();
    return assemble(request, {{"linear", message.optimizer()}},
                    [&](LoweringContext& context, std::int64_t units) -> Result<graph::ValueId> {
                        const LinearPart part{.columns = {message.feature_columns().begin(),
                                                          message.feature_columns().end()},
                                              .optimizer = message.optimizer()};
                        CANNERY_TRY_ASSIGN(const graph::ValueId logits,
                                           lowerLinear(context, part, units));
                        spec::Layer scale;
                        scale.mutable_scale()->set_factor(message.factor());
                        return context.builder.addNode("linear/scaled", scale, {logits});
                    });
}

} // namespace cannery::estimators
