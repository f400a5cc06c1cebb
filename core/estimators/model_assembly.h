// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/dnn_lowering.h"
#include "core/estimators/linear_lowering.h"

#include <functional>
#include <optional>

namespace cannery::estimators {

/// Variables with this prefix are trained by this optimizer.
struct TrainedScope
{
    std::string scope; ///< "dnn"
    spec::Optimizer optimizer;
};

/// Adds a network with this number of logits.
using LogitsLowering =
    std::function<Result<graph::ValueId>(LoweringContext& context, std::int64_t units)>;

/// A whole model with the head that the estimator implies: the network, then its optimizers, the
/// first of which owns the global step. Errors: also those of heads::makeHead.
Result<graph::LoweredModel> assemble(const LoweringRequest& request,
                                     const std::vector<TrainedScope>& scopes,
                                     const LogitsLowering& addLogits);

/// The parts of an estimator; at least one is present.
struct ModelParts
{
    std::optional<LinearPart> linear;
    std::optional<DnnPart> dnn;
    /// A DNNLinearCombined estimator: logits are summed, and the linear logits have a summary.
    bool combined = false;
};

/// A whole model from linear and deep parts: the DNN's optimizer comes first and owns the global
/// step; without a DNN, the linear one's does.
Result<graph::LoweredModel> assembleModel(const LoweringRequest& request, const ModelParts& parts);

/// A model that reads no features: logits are the variable `baseline/bias`.
Result<graph::LoweredModel> assembleBaseline(const LoweringRequest& request,
                                             const spec::Optimizer& optimizer);

/// The parts of the three combined estimators; a part without columns is absent.
template <typename Message>
ModelParts combinedPartsOf(const Message& message)
{
    ModelParts parts{.combined = true};
    if (message.linear_feature_columns_size() > 0) {
        parts.linear = {.columns = {message.linear_feature_columns().begin(),
                                    message.linear_feature_columns().end()},
                        .sparseCombiner = message.linear_sparse_combiner(),
                        .optimizer = message.linear_optimizer()};
    }
    if (message.dnn_feature_columns_size() > 0) {
        parts.dnn = {
            .columns = {message.dnn_feature_columns().begin(), message.dnn_feature_columns().end()},
            .hiddenUnits = {message.dnn_hidden_units().begin(), message.dnn_hidden_units().end()},
            .activation = message.dnn_activation_fn(),
            .dropout =
                message.has_dnn_dropout() ? std::optional(message.dnn_dropout()) : std::nullopt,
            .batchNorm = message.batch_norm(),
            .optimizer = message.dnn_optimizer()};
    }
    return parts;
}

} // namespace cannery::estimators
