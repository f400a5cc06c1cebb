// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/rewrites.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <algorithm>

using namespace cannery;
using namespace cannery::exporting;
using storage::GraphNode;
using storage::HostTensor;

namespace {

GraphNode constant(const std::string& name, std::vector<float> values)
{
    return {
        .name = name,
        .op = "Const",
        .inputs = {},
        .controls = {},
        .attrs = {{"value", HostTensor::of(values, {static_cast<std::int64_t>(values.size())})}}};
}

GraphNode node(const std::string& name, const std::string& op, std::vector<std::string> inputs)
{
    return {.name = name, .op = op, .inputs = std::move(inputs), .controls = {}, .attrs = {}};
}

const GraphNode& find(const std::vector<GraphNode>& nodes, const std::string& name)
{
    return *std::ranges::find(nodes, name, &GraphNode::name);
}

} // namespace

/// What TensorFlow's graph optimizer makes of arithmetic.
class TstRewrites : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aDivisionByAConstantIsAProduct();
    void theLogarithmOfOneMoreIsLog1p();
    void otherGraphsStay();
};

void TstRewrites::aDivisionByAConstantIsAProduct()
{
    std::vector<GraphNode> nodes{node("x", "Placeholder", {}), constant("c", {100, 3}),
                                 node("q", "RealDiv", {"x", "c"})};
    QVERIFY(rewriteArithmetic(nodes));
    const GraphNode& product = find(nodes, "q");
    QCOMPARE(product.op, std::string("Mul"));
    QCOMPARE(product.inputs[0], std::string("x"));
    const auto& factor =
        std::get<HostTensor>(find(nodes, product.inputs[1]).attrs.at("value").value());
    QCOMPARE(factor.values<float>()[0], 1 / 100.0F);
    QCOMPARE(factor.values<float>()[1], 1 / 3.0F);
    QVERIFY(!rewriteArithmetic(nodes));
}

void TstRewrites::theLogarithmOfOneMoreIsLog1p()
{
    std::vector<GraphNode> nodes{node("x", "Placeholder", {}), constant("one", {1}),
                                 node("sum", "AddV2", {"x:0", "one"}), node("log", "Log", {"sum"})};
    QVERIFY(rewriteArithmetic(nodes));
    QCOMPARE(find(nodes, "log").op, std::string("Log1p"));
    QCOMPARE(find(nodes, "log").inputs[0], std::string("x:0"));
}

void TstRewrites::otherGraphsStay()
{
    std::vector<GraphNode> nodes{node("x", "Placeholder", {}), constant("two", {2}),
                                 node("sum", "AddV2", {"x", "two"}), node("log", "Log", {"sum"}),
                                 node("q", "RealDiv", {"two", "x"})};
    QVERIFY(!rewriteArithmetic(nodes));
    QCOMPARE(nodes.size(), std::size_t{5});
}

CANNERY_TEST(TstRewrites)
#include "tst_rewrites.moc"
