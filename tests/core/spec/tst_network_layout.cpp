// SPDX-License-Identifier: Apache-2.0
#include "core/spec/networks/network_layout.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <QTest>

using namespace cannery;
using namespace cannery::spec;

class TstNetworkLayout : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsTheLayerBeforeWithoutInputs();
    void numbersLayersOfAKind();
    void keepsNamesThatAPersonGave();
    void putsEachLayerAfterItsInputs();
    void namesTheLayersOfACircleAlone();
    void outputsAreTheNamedLayersOrTheLast();
};

namespace {

NetworkGraph networkOf(const char* text)
{
    NetworkGraph network;
    if (!google::protobuf::TextFormat::ParseFromString(text, &network)) {
        qFatal("%s is not a network", text);
    }
    return network;
}

} // namespace

void TstNetworkLayout::readsTheLayerBeforeWithoutInputs()
{
    const NetworkLayout layout = layoutOf(
        networkOf("layer { input_layer {} } layer { dense { units: 2 } } layer { flatten {} }"));
    QVERIFY(layout.problems.empty());
    QCOMPARE(layout.inputs, (std::vector<std::vector<int>>{{}, {0}, {1}}));
    QCOMPARE(layout.order, (std::vector<int>{0, 1, 2}));
}

void TstNetworkLayout::numbersLayersOfAKind()
{
    const NetworkLayout layout = layoutOf(
        networkOf("layer { input_layer {} } layer { dense {} } layer { dense {} } layer { dense {} "
                  "}"));
    QCOMPARE(layout.names,
             (std::vector<std::string>{"input_layer", "dense", "dense_1", "dense_2"}));
}

void TstNetworkLayout::keepsNamesThatAPersonGave()
{
    const NetworkLayout layout = layoutOf(networkOf(
        "layer { input_layer {} } layer { dense {} } layer { name: 'dense' flatten {} }"));
    QVERIFY(layout.problems.empty());
    QCOMPARE(layout.names, (std::vector<std::string>{"input_layer", "dense_1", "dense"}));
}

void TstNetworkLayout::putsEachLayerAfterItsInputs()
{
    const NetworkLayout layout = layoutOf(
        networkOf("layer { name: 'sum' inputs: ['b', 'a'] add {} }"
                  "layer { name: 'b' inputs: 'in' dense {} } layer { name: 'in' input_layer {} }"
                  "layer { name: 'a' dense {} } layer { name: 'out' inputs: 'sum' dense {} }"));
    QVERIFY(layout.problems.empty());
    QCOMPARE(layout.inputs, (std::vector<std::vector<int>>{{1, 3}, {2}, {}, {2}, {0}}));
    QCOMPARE(layout.order, (std::vector<int>{2, 1, 3, 0, 4}));
}

void TstNetworkLayout::outputsAreTheNamedLayersOrTheLast()
{
    const std::string layers = "layer { name: 'in' input_layer {} } layer { name: 'a' dense {} }"
                               "layer { name: 'b' inputs: 'in' dense {} } ";
    const NetworkLayout both = layoutOf(networkOf((layers + "outputs: ['b', 'a']").c_str()));
    QVERIFY(both.problems.empty());
    QCOMPARE(both.outputs, (std::vector<int>{2, 1}));
    const NetworkLayout last = layoutOf(networkOf(layers.c_str()));
    QCOMPARE(last.outputs, std::vector<int>{2});
    QCOMPARE(last.problems.front().layer, 1); // which nobody reads
    const NetworkLayout first = layoutOf(networkOf((layers + "outputs: 'a'").c_str()));
    QCOMPARE(first.problems.front().layer, 2);
    const NetworkLayout unknown = layoutOf(networkOf((layers + "outputs: ['a', 'c']").c_str()));
    QCOMPARE(unknown.problems.front().output, 1);
    QCOMPARE(unknown.problems.front().error.id, std::string("spec.unknown_layer"));
}

void TstNetworkLayout::namesTheLayersOfACircleAlone()
{
    const NetworkLayout layout = layoutOf(
        networkOf("layer { name: 'in' input_layer {} } layer { name: 'a' inputs: 'c' dense {} }"
                  "layer { name: 'b' dense {} } layer { name: 'c' dense {} }"
                  "layer { name: 'behind' dense {} }"));
    QCOMPARE(layout.problems.size(), std::size_t{1});
    const std::string& message = layout.problems.front().error.message();
    QVERIFY(message.find("'a'") != std::string::npos);
    QVERIFY(message.find("'b'") != std::string::npos);
    QVERIFY(message.find("'c'") != std::string::npos);
    QVERIFY(message.find("behind") == std::string::npos);
}

CANNERY_TEST(TstNetworkLayout)
#include "tst_network_layout.moc"
