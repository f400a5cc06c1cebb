// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/column_lowering.h"

namespace cannery::estimators {

/// The linear part of an estimator.
struct LinearPart
{
    std::vector<std::string> columns; ///< handles
    spec::Combiner::Kind sparseCombiner = spec::Combiner::sum;
    spec::Optimizer optimizer;
};

/// Logits of tf.estimator's linear model, with its summaries `bias` and `fraction_of_zero_weights`.
/// Variables `linear/linear_model/<column>/weights` and `linear/linear_model/bias_weights`.
Result<graph::ValueId> lowerLinear(LoweringContext& context, const LinearPart& part,
                                   std::int64_t units);

/// The part as configured by the three linear estimators.
template <typename Message>
LinearPart linearPartOf(const Message& message)
{
    return {.columns = {message.feature_columns().begin(), message.feature_columns().end()},
            .sparseCombiner = message.sparse_combiner(),
            .optimizer = message.optimizer()};
}

} // namespace cannery::estimators
