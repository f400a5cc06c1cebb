// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/services/runs/keras_graph.h"
#include "ui/services/runs/summary_reader.h"

#include <QTest>

using namespace cannery::ui;

namespace {

/// "name: kind type <- inputs", by layer.
QStringList linesOf(const std::shared_ptr<const RunGraph>& graph)
{
    QStringList lines;
    if (graph) {
        for (const GraphNodeFacts& node : graph->nodes) {
            lines << QStringLiteral("%1: %2 %3 <- %4")
                         .arg(node.name, node.op, node.type, node.inputs.join(','));
        }
    }
    return lines;
}

RunSummaries read(const char* folder)
{
    SummaryReader reader(QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/foreign_events/") +
                         folder);
    while (reader.read(true, 60'000)) {
    }
    return reader.summaries();
}

} // namespace

/// Keras models in event files.
class TstKerasGraph : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aModelWithinAModelIsAScope();
    void layersOfASequenceFollowEachOther();
    void keras3IsReadToo();
    void whatIsNoModelIsNone_data();
    void whatIsNoModelIsNone();
    void deepNestingEnds();
};

void TstKerasGraph::aModelWithinAModelIsAScope()
{
    const RunSummaries summaries = read("functional");
    QCOMPARE(summaries.leftOut, 0);
    QCOMPARE(linesOf(summaries.graphs.value("")),
             (QStringList{"left: InputLayer float32 [?, 3] <- ", "tower: Dense float32 <- left",
                          "right: InputLayer float32 [?, 5] <- ",
                          "inner/one_input: InputLayer float32 [?, 4] <- tower",
                          "inner/one: Dense float32 <- inner/one_input",
                          "inner/two: Dense float32 <- inner/one", "other: Dense float32 <- right",
                          "join: Concatenate float32 <- inner/two,other",
                          "score: Dense float32 <- join"}));
}

void TstKerasGraph::layersOfASequenceFollowEachOther()
{
    const QStringList lines = linesOf(read("sequential").graphs.value(""));
    QCOMPARE(lines.size(), 4);
    QCOMPARE(lines.mid(1),
             (QStringList{"hidden: Dense float32 <- input_1", "drop: Dropout float32 <- hidden",
                          "out: Dense float32 <- drop"}));
}

void TstKerasGraph::keras3IsReadToo()
{
    const QByteArray json = R"({"module": "keras.src.models.functional", "class_name": "Functional",
"config": {"name": "net", "layers": [
 {"class_name": "InputLayer", "config": {"batch_shape": [null, 2], "dtype": "float32",
  "name": "a"}, "name": "a", "inbound_nodes": []},
 {"class_name": "InputLayer", "config": {"batch_shape": [8, 2], "dtype": "float32", "name": "b"},
  "name": "b", "inbound_nodes": []},
 {"class_name": "Add", "config": {"name": "sum", "dtype": {"class_name": "DTypePolicy",
  "config": {"name": "mixed_bfloat16"}}}, "name": "sum", "inbound_nodes": [{"args": [[
  {"class_name": "__keras_tensor__", "config": {"shape": [null, 2], "dtype": "float32",
   "keras_history": ["a", 0, 0]}},
  {"class_name": "__keras_tensor__", "config": {"shape": [null, 2], "dtype": "float32",
   "keras_history": ["b", 0, 0]}}]], "kwargs": {}}]}],
 "input_layers": [["a", 0, 0], ["b", 0, 0]], "output_layers": ["sum", 0, 0]}})";
    QCOMPARE(linesOf(kerasGraph(json)),
             (QStringList{"a: InputLayer float32 [?, 2] <- ", "b: InputLayer float32 [8, 2] <- ",
                          "sum: Add mixed_bfloat16 <- a,b"}));
}

void TstKerasGraph::whatIsNoModelIsNone_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("no json") << QByteArray("{\"config\": {\"layers\": [");
    QTest::newRow("a list") << QByteArray("[1, 2]");
    QTest::newRow("no layers") << QByteArray(R"({"class_name": "Sequential", "config": {}})");
    QTest::newRow("layers are none")
        << QByteArray(R"({"class_name": "Sequential", "config": {"layers": []}})");
}

void TstKerasGraph::whatIsNoModelIsNone()
{
    QFETCH(QByteArray, json);
    QVERIFY(!kerasGraph(json));
}

void TstKerasGraph::deepNestingEnds()
{
    QByteArray json = R"({"class_name": "Dense", "config": {"name": "leaf"}})";
    for (int depth = 0; depth < 200; ++depth) {
        json = R"({"class_name": "Sequential", "config": {"name": "m", "layers": [)" + json + "]}}";
    }
    const auto graph = kerasGraph(json);
    QVERIFY(graph);
    QCOMPARE(graph->nodes.size(), std::size_t{1});
}

CANNERY_TEST(TstKerasGraph)
#include "tst_keras_graph.moc"
