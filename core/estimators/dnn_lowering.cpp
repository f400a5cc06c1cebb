// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/dnn_lowering.h"

namespace cannery::estimators {

namespace {

spec::Layer dense(std::int64_t units, spec::Activation::Function activation)
{
    spec::Layer layer;
    layer.mutable_dense()->set_units(units);
    layer.mutable_dense()->set_activation(activation);
    return layer;
}

/// One hidden layer after the other layers of the network.
Result<graph::ValueId> addHiddenLayer(LoweringContext& context, const DnnPart& part,
                                      std::size_t index, graph::ValueId input)
{
    const std::string name = fmt::format("dnn/hiddenlayer_{}", index);
    const layers::NodeOptions options{.scope = "dnn"};
    CANNERY_TRY_ASSIGN(graph::ValueId value,
                       context.builder.addNode(name,
                                               dense(part.hiddenUnits[index], part.activation),
                                               {input}, options));
    // The order of TensorFlow's hidden layer: dense with activation, dropout, batch normalization.
    if (part.dropout && *part.dropout > 0.0) {
        spec::Layer dropout;
        dropout.mutable_dropout()->set_rate(*part.dropout);
        CANNERY_TRY_ASSIGN(value,
                           context.builder.addNode(name + "/dropout", dropout, {value}, options));
    }
    if (part.batchNorm) {
        spec::Layer normalization;
        // tf.estimator's own; Keras's is 0.99.
        normalization.mutable_batch_normalization()->set_momentum(0.999);
        CANNERY_TRY_ASSIGN(value,
                           context.builder.addNode(fmt::format("{}/batchnorm_{}", name, index),
                                                   normalization, {value}, options));
    }
    addActivationSummary(context, name, value);
    return value;
}

} // namespace

void addActivationSummary(LoweringContext& context, const std::string& tag, graph::ValueId value)
{
    // The two summaries of TensorFlow's _add_hidden_layer_summary.
    context.builder.addSummary({.tag = tag + "/fraction_of_zero_values",
                                .kind = graph::SummaryKind::ZeroFraction,
                                .value = value});
    context.builder.addSummary(
        {.tag = tag + "/activation", .kind = graph::SummaryKind::Histogram, .value = value});
}

Result<graph::ValueId> lowerDnn(LoweringContext& context, const DnnPart& part, std::int64_t units)
{
    const std::string inputLayer = "dnn/input_from_feature_columns/input_layer";
    CANNERY_TRY_ASSIGN(
        std::vector<graph::ValueId> inputs,
        lowerColumns(context, part.columns,
                     {.variables = "dnn", .node = inputLayer, .categoriesStay = false}));
    spec::Layer layer;
    layer.mutable_input_layer();
    CANNERY_TRY_ASSIGN(graph::ValueId value,
                       context.builder.addNode(inputLayer, layer, std::move(inputs)));
    for (std::size_t index = 0; index < part.hiddenUnits.size(); ++index) {
        CANNERY_TRY_ASSIGN(value, addHiddenLayer(context, part, index, value));
    }
    CANNERY_TRY_ASSIGN(value,
                       context.builder.addNode("dnn/logits", dense(units, spec::Activation::linear),
                                               {value}, {.scope = "dnn"}));
    addActivationSummary(context, "dnn/logits", value);
    return value;
}

} // namespace cannery::estimators
