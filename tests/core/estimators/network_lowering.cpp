// SPDX-License-Identifier: Apache-2.0
#include "tests/core/estimators/network_lowering.h"

#include "core/base/check.h"

#include <fmt/core.h>
#include <google/protobuf/text_format.h>

#include <QTest>

#include <algorithm>

namespace cannery::tests {

const std::string kSteps = "layer { name: 'in' input_layer {} }"
                           "layer { name: 'steps' reshape { target_shape: [8, 2] } }";
const std::string kImage = "layer { name: 'in' input_layer {} }"
                           "layer { name: 'image' reshape { target_shape: [4, 2, -1] } }";

Result<graph::LoweredModel> lowerNetwork(const std::string& layers, const std::string& head)
{
    spec::Experiment experiment;
    const std::string text =
        "feature_column { name: 'x' numeric_column { key: 'x' shape: 16 } }"
        "feature_column { name: 's' sequence_numeric_column { key: 's' shape: 2 } }"
        "estimator { custom_estimator { head { " +
        head +
        " }"
        "feature_columns: 'x' sequence_feature_columns: 's' optimizer { adam {} } graph { " +
        layers + " } } }";
    CANNERY_CHECK(google::protobuf::TextFormat::ParseFromString(text, &experiment));
    features::InputLayout layout;
    layout.slots = {
        {.kind = features::SlotKind::Dense, .column = "x", .tensorflowName = "x", .width = 16},
        {.kind = features::SlotKind::Sequence, .column = "s", .tensorflowName = "s", .width = 2}};
    return estimators::lower(experiment, layout);
}

const graph::Value& outputOf(const graph::LoweredModel& model, const std::string& name)
{
    const auto node = std::ranges::find(model.graph.nodes, name, &graph::Node::name);
    CANNERY_CHECK(node != model.graph.nodes.end());
    return model.graph.value(node->output);
}

std::vector<std::string> variablesOf(const graph::LoweredModel& model)
{
    std::vector<std::string> variables;
    for (const graph::Variable& variable : model.graph.variables) {
        variables.push_back(variable.name + " " + variable.shape.toString());
    }
    return variables;
}

void addColumnsOfBadNetworks()
{
    QTest::addColumn<QString>("layers");
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("layer");
}

void badNetwork(const char* name, const std::string& layers, const char* id, int layer)
{
    QTest::newRow(name) << QString::fromStdString(layers) << id << layer;
}

void refuseBadNetwork()
{
    QFETCH(QString, layers);
    QFETCH(QString, id);
    QFETCH(int, layer);
    const auto model = lowerNetwork(layers.toStdString());
    QVERIFY(!model);
    QCOMPARE(QString::fromStdString(model.error().id), id);
    QCOMPARE(model.error().path, fmt::format("estimator.custom_estimator.graph.layer[{}]", layer));
}

} // namespace cannery::tests
