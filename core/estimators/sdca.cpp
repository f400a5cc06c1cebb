// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/sdca.h"

#include "core/estimators/sdca_step.h"
#include "core/spec/head_kinds.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace cannery::estimators {

namespace {

constexpr ErrorKind kModel{
    "estimators.sdca_model",
    "linear_sdca trains linear models of one logit by the logistic or the squared loss, with "
    "columns that have no weights of their own. Use another optimizer."};

std::optional<SdcaLoss> lossOf(const spec::Head& head)
{
    const spec::HeadKind* kind = spec::findHeadKind(head);
    if (kind == nullptr || spec::labelWidth(head) != 1) {
        return std::nullopt;
    }
    switch (kind->loss) {
    case spec::HeadLoss::Squares:
        return SdcaLoss::Squared;
    case spec::HeadLoss::Sigmoid:
        return SdcaLoss::Logistic;
    case spec::HeadLoss::Softmax:
    case spec::HeadLoss::Poisson:
    case spec::HeadLoss::Chosen:
        break;
    }
    return std::nullopt;
}

/// Its inputs, each with its weights, and the bias; nothing if an input is made by another layer.
std::optional<std::vector<SdcaOptions::Column>> columnsOf(const graph::LayerGraph& graph,
                                                          const graph::Node& node)
{
    std::vector<SdcaOptions::Column> columns;
    const auto add = [&](SdcaOptions::Column column, graph::VariableId weights) {
        const graph::Variable& variable = graph.variable(weights);
        column.width = variable.shape.elementCount();
        column.weights = weights;
        column.name = variable.name;
        column.shape = variable.shape;
        columns.push_back(std::move(column));
    };
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const graph::ValueId id = node.inputs[i];
        const auto input = std::ranges::find(graph.inputs, id, &graph::Input::value);
        if (input == graph.inputs.end()) {
            // The input must be a slot: SDCA reads the rows themselves, not what a layer makes of
            // them.
            return std::nullopt;
        }
        add({.isDense = graph.value(id).kind == graph::ValueKind::Dense,
             .block = static_cast<std::size_t>(input->block)},
            node.variables[i]);
    }
    add({.isBias = true}, node.variables.back());
    return columns;
}

} // namespace

Result<void> trainBySdca(graph::LoweredModel& model, const spec::LinearSDCA& message)
{
    const std::optional<SdcaLoss> loss = lossOf(model.head);
    const std::vector<graph::Node>& nodes = model.graph.nodes;
    if (!loss || nodes.size() != 1 || !nodes.front().layer.has_linear_model()) {
        return fail(ErrorCode::InvalidArgument, kModel);
    }
    std::optional<std::vector<SdcaOptions::Column>> columns = columnsOf(model.graph, nodes.front());
    if (!columns) {
        return fail(ErrorCode::InvalidArgument, kModel);
    }
    const SdcaOptions options{.columns = *std::move(columns),
                              .logits = model.graph.logits,
                              .loss = *loss,
                              .l1 = message.symmetric_l1_regularization(),
                              .l2 = message.symmetric_l2_regularization(),
                              .partitions = message.num_loss_partitions(),
                              .tables = std::max<std::int64_t>(message.num_table_shards(), 1),
                              .isAdaptive = message.adaptive()};
    model.makeStep = [options] { return std::make_unique<SdcaStep>(options); };
    return {};
}

} // namespace cannery::estimators
