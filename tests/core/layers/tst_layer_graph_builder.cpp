// SPDX-License-Identifier: Apache-2.0
#include "core/graph/initializers.h"
#include "core/layers/layer_graph_builder.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;

class TstLayerGraphBuilder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesVariablesAfterTheNode();
    void keepsIndicatorsApart();
    void refusesACategoricalColumnInADenseLayer();
    void refusesIdsInADropout();
    void refusesToAddDifferentWidths();
    void refusesAnInputLayerWithoutColumns();
    void refusesTwoVariablesOfOneName();
    void refusesASharedTableOfAnotherShape();

private:
    static spec::Layer dense(std::int64_t units);
    layers::LayerGraphBuilder m_builder;
};

spec::Layer TstLayerGraphBuilder::dense(std::int64_t units)
{
    spec::Layer layer;
    layer.mutable_dense()->set_units(units);
    return layer;
}

void TstLayerGraphBuilder::namesVariablesAfterTheNode()
{
    const graph::ValueId input =
        m_builder.addInput({.name = "x", .kind = graph::ValueKind::Dense, .width = 3}, {.slot = 0});
    const auto output = m_builder.addNode("dnn/hiddenlayer_0", dense(4), {input}, {.scope = "dnn"});
    VERIFY_OK(output);
    const graph::LayerGraph graph = m_builder.finish(*output);
    QCOMPARE(graph.variables.size(), std::size_t(2));
    QCOMPARE(graph.variables[0].name, std::string("dnn/hiddenlayer_0/kernel"));
    QCOMPARE(graph.variables[0].shape, Shape({3, 4}));
    QCOMPARE(graph.variables[1].name, std::string("dnn/hiddenlayer_0/bias"));
    QCOMPARE(graph.variables[1].scope, std::string("dnn"));
    QCOMPARE(graph.value(graph.logits).width, std::int64_t(4));
}

void TstLayerGraphBuilder::keepsIndicatorsApart()
{
    spec::Layer layer;
    layer.mutable_input_layer();
    const graph::ValueId age = m_builder.addInput(
        {.name = "age", .kind = graph::ValueKind::Dense, .width = 1}, {.slot = 0});
    const graph::ValueId job = m_builder.addInput(
        {.name = "job_indicator", .kind = graph::ValueKind::Indicator, .width = 900}, {.slot = 1});
    const auto columns = m_builder.addNode("input_layer", layer, {age, job});
    VERIFY_OK(columns);
    const auto hidden = m_builder.addNode("hidden", dense(5), {*columns});
    VERIFY_OK(hidden);
    const graph::LayerGraph graph = m_builder.finish(*hidden);
    const graph::Value& value = graph.value(*columns);
    QCOMPARE(value.kind, graph::ValueKind::Columns);
    QCOMPARE(value.width, std::int64_t(901));
    QCOMPARE(value.parts[1], (graph::Value::Part{1, 900, graph::ValueKind::Indicator}));
    QCOMPARE(graph.variables[0].shape, Shape({901, 5}));
}

void TstLayerGraphBuilder::refusesACategoricalColumnInADenseLayer()
{
    spec::Layer layer;
    layer.mutable_input_layer();
    const graph::ValueId job =
        m_builder.addInput({.name = "job", .kind = graph::ValueKind::Ids, .width = 9}, {.slot = 0});
    VERIFY_ERROR(m_builder.addNode("input_layer", layer, {job}), "layers.bare_categorical");
}

void TstLayerGraphBuilder::refusesIdsInADropout()
{
    spec::Layer layer;
    layer.mutable_dropout()->set_rate(0.5);
    const graph::ValueId job =
        m_builder.addInput({.name = "job", .kind = graph::ValueKind::Ids, .width = 9}, {.slot = 0});
    VERIFY_ERROR(m_builder.addNode("dropout", layer, {job}), "layers.input_kind");
    VERIFY_ERROR(m_builder.addNode("dropout", layer, {job, job}), "layers.input_count");
}

void TstLayerGraphBuilder::refusesToAddDifferentWidths()
{
    spec::Layer layer;
    layer.mutable_add();
    const graph::ValueId a =
        m_builder.addInput({.name = "a", .kind = graph::ValueKind::Dense, .width = 3}, {.slot = 0});
    const graph::ValueId b =
        m_builder.addInput({.name = "b", .kind = graph::ValueKind::Dense, .width = 2}, {.slot = 1});
    VERIFY_ERROR(m_builder.addNode("add", layer, {a, b}), "layers.merged_shapes");
}

void TstLayerGraphBuilder::refusesAnInputLayerWithoutColumns()
{
    spec::Layer layer;
    layer.mutable_input_layer();
    VERIFY_ERROR(m_builder.addNode("input_layer", layer, {}), "layers.no_columns");
}

void TstLayerGraphBuilder::refusesTwoVariablesOfOneName()
{
    const graph::ValueId x =
        m_builder.addInput({.name = "x", .kind = graph::ValueKind::Dense, .width = 3}, {.slot = 0});
    VERIFY_OK(m_builder.addNode("twice", dense(4), {x}));
    VERIFY_ERROR(m_builder.addNode("twice", dense(4), {x}), "graph.duplicate_variable");
}

void TstLayerGraphBuilder::refusesASharedTableOfAnotherShape()
{
    const auto table =
        m_builder.addVariable({.name = "table", .shape = {8, 2}, .initializer = graph::zeros()});
    VERIFY_OK(table);
    spec::Layer layer;
    layer.mutable_embedding()->set_dimension(3);
    const graph::ValueId job =
        m_builder.addInput({.name = "job", .kind = graph::ValueKind::Ids, .width = 8}, {.slot = 0});
    VERIFY_ERROR(m_builder.addNode("job_embedding", layer, {job}, {.variables = {*table}}),
                 "graph.variable_shape");
}

CANNERY_TEST(TstLayerGraphBuilder)
#include "tst_layer_graph_builder.moc"
