// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/column_lowering.h"

#include <optional>

namespace cannery::estimators {

/// The deep part of an estimator.
struct DnnPart
{
    std::vector<std::string> columns; ///< handles
    std::vector<std::int64_t> hiddenUnits;
    spec::Activation::Function activation = spec::Activation::relu;
    std::optional<double> dropout; ///< fraction that is dropped
    bool batchNorm = false;
    spec::Optimizer optimizer;
};

/// Logits of tf.estimator's DNN: input layer, then for each hidden layer dense with activation,
/// dropout, batch normalization (in this order), then a dense layer without activation. Variables
/// `dnn/hiddenlayer_<i>/{kernel,bias}`, `dnn/hiddenlayer_<i>/batchnorm_<i>/…`,
/// `dnn/logits/{kernel,bias}` and
/// `dnn/input_from_feature_columns/input_layer/<c>/embedding_weights`; a summary of every layer's
/// activation.
Result<graph::ValueId> lowerDnn(LoweringContext& context, const DnnPart& part, std::int64_t units);

/// `<tag>/fraction_of_zero_values` and `<tag>/activation` of a value.
void addActivationSummary(LoweringContext& context, const std::string& tag, graph::ValueId value);

/// The part as configured by the three DNN estimators.
template <typename Message>
DnnPart dnnPartOf(const Message& message)
{
    return {.columns = {message.feature_columns().begin(), message.feature_columns().end()},
            .hiddenUnits = {message.hidden_units().begin(), message.hidden_units().end()},
            .activation = message.activation_fn(),
            .dropout = message.has_dropout() ? std::optional(message.dropout()) : std::nullopt,
            .batchNorm = message.batch_norm(),
            .optimizer = message.optimizer()};
}

} // namespace cannery::estimators
