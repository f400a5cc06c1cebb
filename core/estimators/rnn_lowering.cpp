// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/rnn_lowering.h"

namespace cannery::estimators {

namespace {

constexpr ErrorKind kNoUnits{"estimators.no_units",
                             "The recurrent network has no units; give it at least one layer."};

constexpr ErrorKind kManyHeads{
    "estimators.steps_of_many_heads",
    "With return_sequences the head of a recurrent network is no multi_head; give it one head, or "
    "remove return_sequences."};

constexpr std::string_view kScope = "rnn_model";

template <typename Message>
void setUnits(Message& message, std::int64_t units, bool returnSequences)
{
    message.set_units(units);
    message.set_return_sequences(returnSequences);
}

spec::Layer recurrentLayer(spec::RecurrentCell::Type cell, std::int64_t units, bool returnSequences)
{
    spec::Layer layer;
    switch (cell) {
    case spec::RecurrentCell::lstm:
        setUnits(*layer.mutable_lstm(), units, returnSequences);
        break;
    case spec::RecurrentCell::gru:
        setUnits(*layer.mutable_gru(), units, returnSequences);
        break;
    default:
        setUnits(*layer.mutable_simple_rnn(), units, returnSequences);
    }
    return layer;
}

/// Of the cell of layer `index`, as Keras names it.
std::string cellScope(const RnnPart& part, std::size_t index)
{
    const std::string& cell = spec::RecurrentCell::Type_Name(part.cell);
    // Keras's StackedRNNCells numbers its cells in the order of their making.
    if (part.units.size() > 1) {
        const std::string suffix = index == 0 ? std::string() : fmt::format("_{}", index);
        return fmt::format("{}/rnn/stacked_rnn_cells/{}_cell{}", kScope, cell, suffix);
    }
    return fmt::format("{}/{}/{}_cell", kScope, part.stackedCells ? "rnn" : cell, cell);
}

Result<graph::ValueId> addSequenceInput(LoweringContext& context, const RnnPart& part)
{
    CANNERY_TRY_ASSIGN(std::vector<graph::ValueId> inputs,
                       lowerColumns(context, part.sequenceColumns,
                                    {.variables = std::string(kScope),
                                     .node = "sequence_features",
                                     .categoriesStay = false}));
    if (!part.contextColumns.empty()) {
        const std::string node = "dense_features";
        CANNERY_TRY_ASSIGN(
            std::vector<graph::ValueId> columns,
            lowerColumns(
                context, part.contextColumns,
                {.variables = std::string(kScope), .node = node, .categoriesStay = false}));
        spec::Layer layer;
        layer.mutable_input_layer();
        CANNERY_TRY_ASSIGN(const graph::ValueId together,
                           context.builder.addNode(node, layer, std::move(columns)));
        inputs.push_back(together);
    }
    const std::string name = fmt::format("{}/sequence_input_layer", kScope);
    spec::Layer layer;
    layer.mutable_sequence_input();
    CANNERY_TRY_ASSIGN(const graph::ValueId value,
                       context.builder.addNode(name, layer, std::move(inputs)));
    context.builder.addSummary(
        {.tag = name + "/sequence_length", .kind = graph::SummaryKind::StepCounts, .value = value});
    return value;
}

Result<graph::ValueId> addLogits(LoweringContext& context, const RnnPart& part, std::int64_t logits)
{
    CANNERY_TRY_ASSIGN(graph::ValueId value, addSequenceInput(context, part));
    const layers::NodeOptions options{.scope = std::string(kScope)};
    for (std::size_t index = 0; index < part.units.size(); ++index) {
        // Every layer but the last passes on all of its steps.
        const bool everyStep = part.predictsEveryStep || index + 1 < part.units.size();
        CANNERY_TRY_ASSIGN(
            value, context.builder.addNode(cellScope(part, index),
                                           recurrentLayer(part.cell, part.units[index], everyStep),
                                           {value}, options));
    }
    spec::Layer dense;
    dense.mutable_dense()->set_units(logits);
    dense.mutable_dense()->set_activation(spec::Activation::linear);
    return context.builder.addNode(fmt::format("{}/logits", kScope), dense, {value}, options);
}

} // namespace

Result<graph::LoweredModel> assembleRnn(const LoweringRequest& request, const RnnPart& part)
{
    if (part.units.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoUnits);
    }
    CANNERY_TRY_ASSIGN(graph::LoweredModel model,
                       assemble(request, {{std::string(kScope), part.optimizer}},
                                [&](LoweringContext& context, std::int64_t logits) {
                                    return addLogits(context, part, logits);
                                }));
    if (part.predictsEveryStep) {
        if (model.head.has_multi_head()) {
            return fail(ErrorCode::InvalidArgument, kManyHeads);
        }
        model.sequenceMask = part.sequenceMask;
    }
    return model;
}

} // namespace cannery::estimators
