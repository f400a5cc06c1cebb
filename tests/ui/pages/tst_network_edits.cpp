// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/document/experiment_reading.h"
#include "ui/editing/network_edits.h"
#include "ui/editing/network_templates.h"

#include <QTest>

#include <functional>

using namespace cannery::ui;

namespace {

const char* const kBegin = "feature_column { name: \"x\" numeric_column { key: \"x\" } }\n"
                           "feature_column { name: \"z\" numeric_column { key: \"z\" } }\n"
                           "estimator { custom_estimator { feature_columns: [\"x\", \"z\"] "
                           "graph {\n";
const char* const kEnd = "} } }\n";

QByteArray textOf(const QByteArray& layers)
{
    return kBegin + layers + kEnd;
}

NetworkOutline outlineOf(const QByteArray& text)
{
    return readExperiment(text, "a.cannery")->network;
}

/// "pixels dense<pixels logits<dense": every layer with what it reads; a name of its own in quotes.
QString shown(const NetworkOutline& network)
{
    QStringList words;
    for (const OutlinedLayer& layer : network.layers) {
        QStringList inputs;
        for (const int input : layer.inputs) {
            inputs << network.layers[input].name;
        }
        const QString name = layer.isNamed ? u'\'' + layer.name + u'\'' : layer.name;
        words << (inputs.isEmpty() ? name : name + u'<' + inputs.join(u'+'));
    }
    return words.join(u' ');
}

const QByteArray kChain = "layer { input_layer {} }\nlayer { dense { units: 8 } }\n"
                          "layer { dropout { rate: 0.5 } }\nlayer { dense { units: 1 } }\n";
const QByteArray kBranches =
    "layer { name: \"in\" input_layer {} }\nlayer { name: \"a\" dense { units: 8 } }\n"
    "layer { name: \"b\" inputs: \"in\" dense { units: 8 } }\n"
    "layer { inputs: [\"a\", \"b\"] add {} }\nlayer { dense { units: 1 } }\n";

} // namespace

/// Layers come, go and are connected: always what the others read stays what it was.
class TstNetworkEdits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readAsWritten();
    void layersCome_data();
    void layersCome();
    void layersGo_data();
    void layersGo();
    void layersAreConnected_data();
    void layersAreConnected();
    void circlesAreRefused();
    void copiesHaveNoNameOfTheirOriginal();
    void movedLayersReadTheSame();
    void newLayersHaveWhatTheyNeed();
    void aBlockIsOneLayer();
    void templatesFitTheColumns();

private:
    QString changed(const QByteArray& layers,
                    const std::function<QList<FieldEdit>(const NetworkEdits&)>& change);
};

QString TstNetworkEdits::changed(const QByteArray& layers,
                                 const std::function<QList<FieldEdit>(const NetworkEdits&)>& change)
{
    const QByteArray text = textOf(layers);
    const NetworkOutline outline = outlineOf(text);
    const QList<FieldEdit> edits = change(NetworkEdits(outline));
    if (edits.isEmpty()) {
        return QStringLiteral("nothing");
    }
    QString error;
    const auto made = editChange(text, edits, error);
    return made ? shown(outlineOf(made->applied(text))) : error;
}

void TstNetworkEdits::readAsWritten()
{
    QCOMPARE(shown(outlineOf(textOf(kChain))),
             "input_layer dense<input_layer dropout<dense dense_1<dropout");
    const NetworkOutline outline = outlineOf(textOf(kBranches));
    QCOMPARE(shown(outline), "'in' 'a'<in 'b'<in add<a+b dense<add");
    QCOMPARE(outline.readersOf(0), (QList<int>{1, 2}));
    QCOMPARE(outline.layerAt("estimator.custom_estimator.graph.layer[2].dense.units"), 2);
    QCOMPARE(outline.layerAt("estimator.custom_estimator.graph.layer[b].dense.units"), 2);
    QCOMPARE(outline.layerAt("estimator.custom_estimator.head"), -1);
    QVERIFY(outlineOf("estimator { dnn_classifier { } }").isEmpty());
}

void TstNetworkEdits::layersCome_data()
{
    QTest::addColumn<QByteArray>("layers");
    QTest::addColumn<int>("from");
    QTest::addColumn<int>("to"); // -1: behind the first
    QTest::addColumn<QString>("expected");
    QTest::newRow("into a chain") << kChain << 1 << -1
                                  << "input_layer dense<input_layer flatten<dense dropout<flatten "
                                     "dense_1<dropout";
    QTest::newRow("on a line") << kChain << 1 << 2
                               << "input_layer dense<input_layer flatten<dense dropout<flatten "
                                  "dense_1<dropout";
    QTest::newRow("on a line of two")
        << kBranches << 0 << 2 << "'in' 'a'<in flatten<in 'b'<flatten add<a+b dense<add";
    QTest::newRow("before a sum") << kBranches << 0 << 1
                                  << "'in' flatten<in 'a'<flatten 'b'<in add<a+b dense<add";
    QTest::newRow("into a sum") << kBranches << 1 << 3
                                << "'in' 'a'<in 'b'<in 'flatten'<a add<flatten+b dense<add";
    QTest::newRow("behind a branch")
        << kBranches << 1 << -1 << "'in' 'a'<in flatten<a 'b'<in add<a+b dense<add";
    QTest::newRow("no such line") << kBranches << 0 << 4 << "nothing";
}

void TstNetworkEdits::layersCome()
{
    QFETCH(QByteArray, layers);
    QFETCH(int, from);
    QFETCH(int, to);
    QFETCH(QString, expected);
    QCOMPARE(changed(layers,
                     [&](const NetworkEdits& edits) {
                         return to < 0 ? edits.insertAfter("flatten", from)
                                       : edits.insertBetween("flatten", from, to);
                     }),
             expected);
}

void TstNetworkEdits::layersGo_data()
{
    QTest::addColumn<QByteArray>("layers");
    QTest::addColumn<QList<int>>("gone");
    QTest::addColumn<QString>("expected");
    QTest::newRow("of a chain") << kChain << QList<int>{1}
                                << "input_layer dropout<input_layer dense<dropout";
    QTest::newRow("two of a chain")
        << kChain << QList<int>{1, 2} << "input_layer dense<input_layer";
    QTest::newRow("a branch") << kBranches << QList<int>{1} << "'in' 'b'<in add<in+b dense<add";
    QTest::newRow("a sum") << kBranches << QList<int>{3} << "'in' 'a'<in 'b'<in dense<a+b";
    QTest::newRow("both branches") << kBranches << QList<int>{1, 2} << "'in' add<in dense<add";
    QTest::newRow("the last") << kBranches << QList<int>{4} << "'in' 'a'<in 'b'<in add<a+b";
}

void TstNetworkEdits::layersGo()
{
    QFETCH(QByteArray, layers);
    QFETCH(QList<int>, gone);
    QFETCH(QString, expected);
    QCOMPARE(changed(layers, [&](const NetworkEdits& edits) { return edits.remove(gone); }),
             expected);
}

void TstNetworkEdits::layersAreConnected_data()
{
    QTest::addColumn<QByteArray>("layers");
    QTest::addColumn<int>("from");
    QTest::addColumn<int>("to");
    QTest::addColumn<bool>("cuts");
    QTest::addColumn<QString>("expected");
    QTest::newRow("a layer of one input reads another")
        << kChain << 0 << 2 << false
        << "'input_layer' dense<input_layer dropout<input_layer dense_1<dropout";
    QTest::newRow("a sum reads one more")
        << kBranches << 0 << 3 << false << "'in' 'a'<in 'b'<in add<a+b+in dense<add";
    QTest::newRow("it does already") << kBranches << 1 << 3 << false << "nothing";
    QTest::newRow("a sum reads one less")
        << kBranches << 1 << 3 << true << "'in' 'a'<in 'b'<in add<b dense<add";
    QTest::newRow("its only input stays") << kBranches << 3 << 4 << true << "nothing";
}

void TstNetworkEdits::layersAreConnected()
{
    QFETCH(QByteArray, layers);
    QFETCH(int, from);
    QFETCH(int, to);
    QFETCH(bool, cuts);
    QFETCH(QString, expected);
    QCOMPARE(changed(layers,
                     [&](const NetworkEdits& edits) {
                         return cuts ? edits.disconnect(from, to) : edits.connect(from, to);
                     }),
             expected);
}

void TstNetworkEdits::circlesAreRefused()
{
    const NetworkOutline outline = outlineOf(textOf(kBranches));
    const NetworkEdits edits(outline);
    QVERIFY(edits.hindrance(4, 1).contains("circle"));
    QVERIFY(edits.connect(4, 1).isEmpty());
    QVERIFY(edits.hindrance(1, 0).contains("columns"));
    QVERIFY(edits.hindrance(0, 4).isEmpty());
}

void TstNetworkEdits::copiesHaveNoNameOfTheirOriginal()
{
    const QByteArray text = textOf(kBranches);
    const QString written = writtenAt(text, "estimator.custom_estimator.graph.layer[2]");
    QCOMPARE(
        changed(kBranches, [&](const NetworkEdits& edits) { return edits.duplicate(2, written); }),
        "'in' 'a'<in 'b'<in dense<b add<a+b dense_1<add");
    QCOMPARE(changed(kChain,
                     [&](const NetworkEdits& edits) {
                         return edits.duplicate(1, "{ dense { units: 8 } }");
                     }),
             "input_layer dense<input_layer dense_1<dense dropout<dense_1 dense_2<dropout");
}

void TstNetworkEdits::movedLayersReadTheSame()
{
    QCOMPARE(changed(kChain, [](const NetworkEdits& edits) { return edits.move(2, 1); }),
             "'input_layer' 'dropout'<dense 'dense'<input_layer dense_1<dropout");
    QCOMPARE(changed(kChain, [](const NetworkEdits& edits) { return edits.move(3, 4); }),
             "nothing");
}

void TstNetworkEdits::newLayersHaveWhatTheyNeed()
{
    const NetworkOutline outline = outlineOf(textOf(kChain));
    QCOMPARE(NetworkEdits(outline).newLayer("flatten"), "{ flatten {} }");
    QCOMPARE(NetworkEdits(outline).newLayer("conv_2d"),
             "{ conv_2d { filters: 16 kernel_size: [3] } }");
}

void TstNetworkEdits::aBlockIsOneLayer()
{
    const QByteArray layers =
        "layer { input_layer {} }\nlayer { name: \"r\" block { repeat: 3 layer { dense { units: 8 "
        "} }\n"
        "  layer { inputs: [\"dense\", \"input\"] add {} } } }\nlayer { dense { units: 1 } }\n";
    const NetworkOutline outline = outlineOf(textOf(layers));
    QCOMPARE(shown(outline), "input_layer 'r'<input_layer dense<r");
    QCOMPARE(outline.layers[0].repeat, 0);
    QCOMPARE(outline.layers[1].repeat, 3);
    QCOMPARE(outline.layerAt("estimator.custom_estimator.graph.layer[r].block.layer[1].inputs[0]"),
             1);
    QCOMPARE(changed(layers, [](const NetworkEdits& edits) { return edits.remove({1}); }),
             "input_layer dense<input_layer");
    QCOMPARE(changed(layers, [](const NetworkEdits& edits) { return edits.move(1, 2); }),
             "'input_layer' dense<r 'r'<input_layer");
    QCOMPARE(
        changed(layers, [](const NetworkEdits& edits) { return edits.insertAfter("block", 1); }),
        "input_layer 'r'<input_layer block<r dense<block");
    QCOMPARE(NetworkEdits(outline).newLayer("block"),
             "{ block { layer { dense { units: 16 } } } }");
}

void TstNetworkEdits::templatesFitTheColumns()
{
    NetworkEnds ends{.columns = {"x", "z"}, .sequences = {}, .picture = {}};
    ends.logits = "layer { name: \"logits\" dense { units: 3 } }";
    for (const NetworkTemplate& offered : networkTemplates(ends)) {
        const bool isForPictures = offered.id == "cnn" || offered.id == "residual";
        QCOMPARE(offered.hindrance.isEmpty(), !isForPictures && offered.id != "lstm");
    }
    ends.picture = "layer { input_layer {} }\n"
                   "      layer { reshape { target_shape: [8, 8, 1] } }";
    ends.sequences = QStringList{"words"};
    for (const NetworkTemplate& offered : networkTemplates(ends)) {
        QVERIFY2(offered.hindrance.isEmpty(), qPrintable(offered.hindrance));
        const QByteArray text = textOf("layer { dense { units: 1 } }");
        QString error;
        const auto change = editChange(
            text, {FieldEdit::set("estimator.custom_estimator.graph", offered.graph)}, error);
        QVERIFY2(change, qPrintable(error));
        const auto reading = readExperiment(change->applied(text), "a.cannery");
        QCOMPARE(reading->network.layers.last().name, "logits");
        for (const ProblemRow& problem : reading->problems) {
            QVERIFY2(!problem.path.contains("graph"), qPrintable(problem.sentence));
        }
    }
}

CANNERY_TEST(TstNetworkEdits)
#include "tst_network_edits.moc"
