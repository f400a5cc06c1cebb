// SPDX-License-Identifier: Apache-2.0
#include "core/layers/graph_emitter.h"
#include "core/layers/layer_graph_builder.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;

/// That the nodes compute what training computes is tested with real TensorFlow in tests/interop.
class TstGraphEmitter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void emitsVariablesByTheirNamesAndTheLogits();
};

void TstGraphEmitter::emitsVariablesByTheirNamesAndTheLogits()
{
    layers::LayerGraphBuilder builder;
    const graph::ValueId age =
        builder.addInput({.name = "age", .kind = graph::ValueKind::Dense, .width = 1}, {.slot = 0});
    const graph::ValueId job = builder.addInput(
        {.name = "job_indicator", .kind = graph::ValueKind::Indicator, .width = 9}, {.slot = 1});
    const graph::ValueId jobIds =
        builder.addInput({.name = "job", .kind = graph::ValueKind::Ids, .width = 9}, {.slot = 1});
    spec::Layer input;
    input.mutable_input_layer();
    spec::Layer embedding;
    embedding.mutable_embedding()->set_dimension(2);
    embedding.mutable_embedding()->set_max_norm(1.0);
    spec::Layer hidden;
    hidden.mutable_dense()->set_units(4);
    hidden.mutable_dense()->set_activation(spec::Activation::gelu);
    spec::Layer normalization;
    normalization.mutable_batch_normalization();
    const auto embedded = builder.addNode("job_embedding", embedding, {jobIds});
    const auto columns = builder.addNode("input_layer", input, {age, *embedded, job});
    const auto dense = builder.addNode("dnn/hiddenlayer_0", hidden, {*columns});
    const auto logits = builder.addNode("dnn/hiddenlayer_0/batchnorm_0", normalization, {*dense});
    VERIFY_OK(logits);
    const graph::LayerGraph layerGraph = builder.finish(*logits);

    storage::GraphDefBuilder graph;
    graph.placeholder("age", DType::Float32, {-1, 1});
    graph.placeholder("indices", DType::Int64, {-1, 2});
    graph.placeholder("ids", DType::Int64, {-1});
    const storage::NodeRef rows = graph.placeholder("rows", DType::Int32, {});
    const std::vector<storage::EmittedValue> slots = {
        {.dense = "age"}, {.indices = "indices", .ids = "ids", .denseShape = "rows"}};
    const auto emitted = layers::emitGraph(graph, layerGraph, slots, rows);
    VERIFY_OK(emitted);
    QVERIFY(graph.hasNode(emitted->logits.node));
    QCOMPARE(graph.variables().size(), layerGraph.variables.size());
    for (std::size_t index = 0; index < layerGraph.variables.size(); ++index) {
        QCOMPARE(graph.variables()[index]->spec.name, layerGraph.variables[index].name);
        QCOMPARE(graph.variables()[index]->spec.shape, layerGraph.variables[index].shape);
    }
}

CANNERY_TEST(TstGraphEmitter)
#include "tst_graph_emitter.moc"
