// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/loss_graph.h"

#include "core/export/graph_runner/graph_runner.h"
#include "core/heads/row_loss_emission.h"
#include "storage/tf/graphs/saved_model_writer.h"

#include <QTemporaryDir>

namespace cannery::tests {

using storage::HostTensor;
using storage::NodeRef;

namespace {

std::vector<float> numbersIn(const exporting::NamedTensors& tensors, const char* key)
{
    const auto values = tensors.at(key).values<float>();
    return {values.begin(), values.end()};
}

} // namespace

Result<LossGraphResult> runLossGraph(const kernels::RowLossRule& rule, losses::Reduction reduction,
                                     const LossGraphInputs& inputs)
{
    storage::GraphDefBuilder graph;
    storage::Signature signature;
    signature.methodName = storage::kPredictMethod;
    exporting::NamedTensors fed;
    const auto input = [&](const char* key, const std::vector<float>& values) {
        if (values.empty()) {
            return NodeRef();
        }
        const Shape shape{inputs.rows, static_cast<std::int64_t>(values.size()) / inputs.rows};
        const NodeRef node = graph.placeholder(key, DType::Float32, shape);
        signature.inputs[key] = {.name = node.tensor(), .dtype = DType::Float32, .shape = shape};
        fed[key] = HostTensor::of(std::span<const float>(values), shape);
        return node;
    };
    const NodeRef outputs = input("outputs", inputs.outputs);
    const NodeRef labels = input("labels", inputs.labels);
    const NodeRef weights = input("weights", inputs.weights);
    const heads::LossNodes nodes =
        heads::emitRowLoss(graph, rule, inputs.cols, reduction,
                           {.logits = outputs, .labels = labels, .weights = weights});
    for (const auto& [key, node] : {std::pair("losses", nodes.losses),
                                    {"loss", nodes.loss},
                                    {"gradient", nodes.logitsGrad}}) {
        signature.outputs[key] = {.name = node.tensor(), .dtype = DType::Float32, .shape = {}};
    }
    const QTemporaryDir folder;
    CANNERY_TRY_ASSIGN(const std::string saved,
                       storage::writeSavedModel(folder.path().toStdString(),
                                                storage::makeMetaGraph(graph, {{"f", signature}}),
                                                {}));
    CANNERY_TRY_ASSIGN(exporting::GraphRunner runner, exporting::GraphRunner::load(saved));
    CANNERY_TRY_ASSIGN(const exporting::NamedTensors given, runner.run("f", fed));
    return LossGraphResult{.losses = numbersIn(given, "losses"),
                           .loss = numbersIn(given, "loss").front(),
                           .gradient = numbersIn(given, "gradient")};
}

} // namespace cannery::tests
