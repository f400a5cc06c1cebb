// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/model/network/network_canvas.h"

#include <QAction>
#include <QDir>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QTest>
#include <QUndoStack>

#include <memory>

using namespace cannery;
using namespace cannery::ui;
using cannery::tests::kPatience;

/// The drawing of a network on the Model page, by mouse and keyboard, with the real planner.
class TstNetworkCanvas : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bench.reset(); }

    void layersAreDrawnWithWhatTheyGive();
    void aClickOnALinePutsALayerThere();
    void aDragConnects();
    void theKeyboardDoesAll();
    void theChosenLayerIsEdited();
    void theMenuConnects();
    void theSearchChoosesLayers();
    void aWrongLayerSaysWhy();
    void aTemplateReplacesTheNetwork();
    void manyLayersAreDrawn();

private:
    ExperimentDocument& document() { return m_bench->session().document(); }
    const NetworkOutline& network() { return document().edits().network(); }
    /// "pixels picture strokes …".
    QString names();
    QStringList inputsOf(const QString& layer);
    int indexOf(const QString& layer);
    QPoint middleOf(const QString& layer);
    void waitUntilRead();
    QAction* entry(const QString& menu, const QString& action);
    void save(const QString& name);

    std::unique_ptr<tests::PageBench> m_bench;
    Page* m_page = nullptr;
    NetworkCanvas* m_canvas = nullptr;
};

void TstNetworkCanvas::init()
{
    m_bench = std::make_unique<tests::PageBench>();
    m_bench->script("preview", "{}");
    m_bench->scriptReal("plan");
    m_bench->script("check", R"({"problems": []})");
    m_page = m_bench->page("model");
    m_bench->open(m_bench->copyExample("digits_cnn"));
    m_bench->show(*m_page);
    m_canvas = m_page->findChild<NetworkCanvas*>("canvas.network");
    QVERIFY(m_canvas != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(m_canvas->isVisible(), kPatience);
    waitUntilRead();
}

void TstNetworkCanvas::waitUntilRead()
{
    QTRY_VERIFY_WITH_TIMEOUT(document().edits().isRead() && document().isSettled(), kPatience);
    // The drawing follows in the next turn of the event loop.
    QTest::qWait(50);
}

QString TstNetworkCanvas::names()
{
    QStringList names;
    for (const OutlinedLayer& layer : network().layers) {
        names << layer.name;
    }
    return names.join(u' ');
}

int TstNetworkCanvas::indexOf(const QString& layer)
{
    for (int i = 0; i < network().layers.size(); ++i) {
        if (network().layers[i].name == layer) {
            return i;
        }
    }
    return -1;
}

QStringList TstNetworkCanvas::inputsOf(const QString& layer)
{
    QStringList inputs;
    for (const int input : network().layers[indexOf(layer)].inputs) {
        inputs << network().layers[input].name;
    }
    return inputs;
}

QPoint TstNetworkCanvas::middleOf(const QString& layer)
{
    return m_canvas->boxOf(indexOf(layer)).center().toPoint();
}

QAction* TstNetworkCanvas::entry(const QString& menu, const QString& action)
{
    auto* found = m_canvas->findChild<QMenu*>(menu);
    return found == nullptr ? nullptr : found->findChild<QAction*>(action);
}

void TstNetworkCanvas::save(const QString& name)
{
    QDir().mkpath("screenshots");
    QVERIFY(m_bench->window().grab().save("screenshots/" + name + ".png"));
}

void TstNetworkCanvas::layersAreDrawnWithWhatTheyGive()
{
    m_canvas->choose(indexOf("strokes"));
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
            m_canvas->choose(indexOf("strokes"));
            return m_canvas->accessibleDescription() ==
                   "strokes, Convolution 2-D, reads picture, gives 8 × 8 × 16";
        }(),
        kPatience);
    m_canvas->choose(indexOf("pixels"));
    QVERIFY(m_canvas->accessibleDescription().startsWith("pixels, Input"));
    // Each below what it reads.
    for (int layer = 1; layer < network().layers.size(); ++layer) {
        QVERIFY(m_canvas->boxOf(layer).top() > m_canvas->boxOf(layer - 1).bottom());
    }
    save("network-digits");
}

void TstNetworkCanvas::aClickOnALinePutsALayerThere()
{
    QTest::mouseClick(m_canvas, Qt::LeftButton, {},
                      m_canvas->handleOf(indexOf("strokes"), indexOf("shapes")).toPoint());
    QAction* kind = entry("menu.add_between", "menu.layer_kind.batch_normalization");
    QVERIFY(kind != nullptr);
    // What reads columns cannot stand on a line.
    QVERIFY(entry("menu.add_between", "menu.layer_kind.input_layer") == nullptr);
    kind->trigger();
    waitUntilRead();
    QCOMPARE(names(), "pixels picture strokes batch_normalization shapes halved vector dropout "
                      "hidden logits");
    QCOMPARE(inputsOf("shapes"), QStringList("batch_normalization"));
    QTRY_COMPARE_WITH_TIMEOUT(m_canvas->current(), 3, kPatience);
    document().undoStack()->undo();
    waitUntilRead();
    QCOMPARE(network().layers.size(), 9);
}

void TstNetworkCanvas::aDragConnects()
{
    const QPoint from = middleOf("picture");
    const QPoint to = middleOf("shapes");
    QTest::mousePress(m_canvas, Qt::LeftButton, {}, from);
    QMouseEvent moved(QEvent::MouseMove, to, m_canvas->mapToGlobal(to), Qt::NoButton,
                      Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(m_canvas, &moved);
    QTest::mouseRelease(m_canvas, Qt::LeftButton, {}, to);
    waitUntilRead();
    QCOMPARE(inputsOf("shapes"), QStringList("picture"));
    QCOMPARE(document().undoStack()->count(), 1);
    // Nobody reads it now, which is told where it is.
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
            m_canvas->choose(indexOf("strokes"));
            return m_canvas->accessibleDescription().contains("No layer");
        }(),
        kPatience);
}

void TstNetworkCanvas::theKeyboardDoesAll()
{
    m_canvas->setFocus();
    QTest::keyClick(m_canvas, Qt::Key_Down); // the first layer
    QTest::keyClick(m_canvas, Qt::Key_Down);
    QTest::keyClick(m_canvas, Qt::Key_Down);
    QCOMPARE(m_canvas->current(), indexOf("strokes"));
    QTest::keyClick(m_canvas, Qt::Key_D, Qt::ControlModifier);
    waitUntilRead();
    QCOMPARE(names(), "pixels picture strokes conv_2d shapes halved vector dropout hidden logits");
    QTRY_COMPARE_WITH_TIMEOUT(m_canvas->current(), 3, kPatience);
    QTest::keyClick(m_canvas, Qt::Key_Delete);
    waitUntilRead();
    QCOMPARE(names(), "pixels picture strokes shapes halved vector dropout hidden logits");
    m_canvas->choose(indexOf("dropout"));
    QTest::keyClick(m_canvas, Qt::Key_Insert);
    QAction* kind = entry("menu.add_layer", "menu.layer_kind.dense");
    QVERIFY(kind != nullptr);
    kind->trigger();
    waitUntilRead();
    QCOMPARE(inputsOf("hidden"), QStringList("dense"));
    m_canvas->choose(indexOf("dense"));
    QTest::keyClick(m_canvas, Qt::Key_Up, Qt::AltModifier);
    waitUntilRead();
    QCOMPARE(indexOf("dense"), 6);
    QCOMPARE(inputsOf("hidden"), QStringList("dense"));
    QTest::keyClick(m_canvas, Qt::Key_Up);
    QCOMPARE(m_canvas->current(), indexOf("dropout"));
}

void TstNetworkCanvas::theChosenLayerIsEdited()
{
    const QString strokes = "estimator.custom_estimator.graph.layer[2]";
    m_page->reveal("field:" + strokes + ".conv_2d.filters");
    QCOMPARE(m_canvas->current(), 2);
    auto* filters = m_page->findChild<QWidget*>("field." + strokes + ".conv_2d.filters");
    QVERIFY(filters != nullptr && filters->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(filters->hasFocus(), kPatience);
    m_canvas->choose(3);
    QTRY_VERIFY_WITH_TIMEOUT(
        m_page->findChild<QWidget*>("field." + strokes + ".conv_2d.filters") == nullptr, kPatience);
    save("network-fields");
}

void TstNetworkCanvas::theMenuConnects()
{
    m_canvas->choose(indexOf("shapes"));
    QContextMenuEvent asked(QContextMenuEvent::Keyboard, {}, {});
    QCoreApplication::sendEvent(m_canvas, &asked);
    auto* menu = m_canvas->findChild<QMenu*>("menu.layer");
    QVERIFY(menu != nullptr);
    auto* reads = menu->findChild<QMenu*>("menu.reads");
    QStringList offered;
    for (QAction* action : reads->actions()) {
        offered << action->text();
        if (action->text() == "strokes") {
            QVERIFY(action->isChecked() && !action->isEnabled());
        }
    }
    // What reads it would make a circle.
    QCOMPARE(offered, (QStringList{"pixels", "picture", "strokes"}));
    reads->actions()[1]->trigger();
    waitUntilRead();
    QCOMPARE(inputsOf("shapes"), QStringList("picture"));
}

void TstNetworkCanvas::theSearchChoosesLayers()
{
    auto* search = m_page->findChild<QLineEdit*>("search.layers");
    QVERIFY(search != nullptr && search->isVisible());
    search->setFocus();
    QTest::keyClicks(search, "CONV");
    QCOMPARE(m_canvas->current(), indexOf("strokes")); // by its kind
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(m_canvas->current(), indexOf("shapes"));
    QTest::keyClick(search, Qt::Key_Return); // and round
    QCOMPARE(m_canvas->current(), indexOf("strokes"));
    QVERIFY(search->hasFocus());
    save("network-search");
    QTest::keyClicks(search, "x");
    QCOMPARE(m_canvas->current(), indexOf("strokes"));
    QVERIFY(search->toolTip().contains("No layer"));
    search->setText("dropout");
    QCOMPARE(m_canvas->current(), indexOf("dropout"));
    QVERIFY(!search->toolTip().contains("No layer"));
}

void TstNetworkCanvas::aWrongLayerSaysWhy()
{
    QVERIFY(
        document().setValue("estimator.custom_estimator.graph.layer[3].inputs", "[\"stroke\"]"));
    waitUntilRead();
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
            m_canvas->choose(indexOf("shapes"));
            return m_canvas->accessibleDescription().contains("There is no layer 'stroke'");
        }(),
        kPatience);
    save("network-wrong");
}

void TstNetworkCanvas::aTemplateReplacesTheNetwork()
{
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
            m_canvas->choose(indexOf("picture"));
            return m_canvas->accessibleDescription().contains("8 × 8 × 1");
        }(),
        kPatience);
    auto* menu = m_page->findChild<QMenu*>("menu.network_templates");
    Q_EMIT menu->aboutToShow();
    auto* residual = menu->findChild<QAction*>("menu.network_template.residual");
    QVERIFY(residual != nullptr && residual->isEnabled());
    QVERIFY(!menu->findChild<QAction*>("menu.network_template.lstm")->isEnabled());
    residual->trigger();
    waitUntilRead();
    QCOMPARE(inputsOf("add"), (QStringList{"before", "changed"}));
    QCOMPARE(network().layers.last().name, "logits");
    QVERIFY(document().problems().all().isEmpty());
    // The planner accepts it, shapes and all.
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
            m_canvas->choose(indexOf("add"));
            return m_canvas->accessibleDescription().contains("gives 8 × 8 × 32");
        }(),
        kPatience);
    save("network-residual");
}

void TstNetworkCanvas::manyLayersAreDrawn()
{
    // 39 branches of five layers each, side by side.
    QString graph = "{ layer { name: \"in\" input_layer {} }\n";
    QStringList tops;
    for (int layer = 0; layer < 195; ++layer) {
        graph += QString("layer { name: \"d%1\" %2 dense { units: 4 } }\n")
                     .arg(layer)
                     .arg(layer % 5 == 0 ? "inputs: \"in\"" : "");
        if (layer % 5 == 4) {
            tops << QString("\"d%1\"").arg(layer);
        }
    }
    graph += "layer { name: \"all\" inputs: [" + tops.join(u',') + "] concatenate {} }\n";
    for (const char* last : {"a", "b", "logits"}) {
        graph += QString("layer { name: \"%1\" dense { units: 10 } }\n").arg(last);
    }
    graph += "}";
    QVERIFY(document().setValue("estimator.custom_estimator.graph", graph));
    waitUntilRead();
    QCOMPARE(network().layers.size(), 200);
    m_canvas->choose(100);
    QElapsedTimer timer;
    timer.start();
    QTest::keyClick(m_canvas, Qt::Key_Delete);
    waitUntilRead();
    qInfo("an edit of 200 layers: %lld ms", static_cast<long long>(timer.elapsed()));
    QCOMPARE(network().layers.size(), 199);
    save("network-many");
}

CANNERY_TEST(TstNetworkCanvas)
#include "tst_network_canvas.moc"
