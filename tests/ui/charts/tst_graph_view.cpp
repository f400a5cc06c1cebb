// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/charts/graph_view.h"
#include "ui/widgets/style/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QTest>

#include <algorithm>

using namespace cannery::ui;

namespace {

std::shared_ptr<const GraphOutline> outlineOf(std::vector<GraphNodeFacts> nodes)
{
    auto graph = std::make_shared<RunGraph>();
    graph->nodes = std::move(nodes);
    return std::make_shared<const GraphOutline>(graph);
}

/// rows → dnn/h0 {MatMul, BiasAdd} → loss {loss, mean}; a variable, and a control input.
std::shared_ptr<const GraphOutline> smallGraph()
{
    return outlineOf({{"rows", "Placeholder", {}, {}, "float32 [?, 4]"},
                      {"dnn/h0/kernel", "VariableV2", {}, {}, "float32 [4, 8]"},
                      {"dnn/h0/MatMul", "MatMul", {"rows", "dnn/h0/kernel:0"}, {}, "float32"},
                      {"dnn/h0/BiasAdd", "BiasAdd", {"dnn/h0/MatMul"}, {}, ""},
                      {"loss", "Identity", {"loss/mean"}, {}, ""},
                      {"loss/mean", "Mean", {"dnn/h0/BiasAdd", "missing"}, {}, ""},
                      {"init", "NoOp", {}, {"dnn/h0/kernel"}, ""}});
}

QStringList namesOf(const GraphOutline& outline, const std::vector<int>& items)
{
    QStringList names;
    for (const int item : items) {
        names.append(outline.item(item).name);
    }
    return names;
}

/// Whether no two closed boxes lie on each other, and none outside its open scope.
bool isTidy(const GraphDrawing& drawing, const GraphOutline& outline)
{
    for (const GraphBox& box : drawing.boxes) {
        const GraphBox* around = drawing.box(outline.item(box.item).parent);
        if (around && !around->place.contains(box.place)) {
            return false;
        }
        for (const GraphBox& other : drawing.boxes) {
            if (other.item != box.item && !other.isOpen && !box.isOpen &&
                other.place.intersects(box.place)) {
                return false;
            }
        }
    }
    return true;
}

} // namespace

class TstGraphView : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }

    void scopesAreFolded();
    void neighboursOfScopesAreOutsideThem();
    void searchFindsNamesAndKinds();
    void whatFlowsGoesToTheRight();
    void keysWalkAndOpen();
    void aSelectedOperationIsShownWhereverItIs();
    void loopsAndHostileNamesAreDrawn();
    void tenThousandOperationsAreQuick();
};

void TstGraphView::scopesAreFolded()
{
    const auto outline = smallGraph();
    const GraphItem& root = outline->item(0);
    QCOMPARE(root.operations, 7);
    QCOMPARE(namesOf(*outline, root.children), QStringList({"dnn", "loss", "rows", "init"}));
    const GraphItem& layer = outline->item(outline->find("dnn/h0"));
    QCOMPARE(layer.label, QString("h0"));
    QCOMPARE(layer.operations, 3);
    // An operation named like a scope lies in it.
    const GraphItem& loss = outline->item(outline->find("loss"));
    QCOMPARE(loss.label, QString("(loss)"));
    QCOMPARE(outline->item(loss.parent).name, QString("loss"));
    QVERIFY(outline->item(loss.parent).isScope());
    const std::vector<GraphEdge>& edges = outline->edges(0);
    const int dnn = outline->find("dnn");
    const auto has = [&](int from, int to, int count) {
        return std::find(edges.begin(), edges.end(), GraphEdge{from, to, count}) != edges.end();
    };
    QCOMPARE(edges.size(), std::size_t{3});
    QVERIFY(has(outline->find("rows"), dnn, 1));
    QVERIFY(has(dnn, loss.parent, 1));
    QVERIFY(has(dnn, outline->find("init"), 1));
}

void TstGraphView::neighboursOfScopesAreOutsideThem()
{
    const auto outline = smallGraph();
    const int dnn = outline->find("dnn");
    QCOMPARE(namesOf(*outline, outline->inputs(dnn)), QStringList({"rows"}));
    QCOMPARE(namesOf(*outline, outline->outputs(dnn)), QStringList({"loss/mean", "init"}));
    const int product = outline->find("dnn/h0/MatMul");
    QCOMPARE(namesOf(*outline, outline->inputs(product)), QStringList({"rows", "dnn/h0/kernel"}));
    QCOMPARE(namesOf(*outline, outline->outputs(product)), QStringList({"dnn/h0/BiasAdd"}));
}

void TstGraphView::searchFindsNamesAndKinds()
{
    const auto outline = smallGraph();
    QCOMPARE(namesOf(*outline, outline->search("KERNEL", 10)), QStringList({"dnn/h0/kernel"}));
    QCOMPARE(namesOf(*outline, outline->search("placeholder", 10)), QStringList({"rows"}));
    QCOMPARE(namesOf(*outline, outline->search("Loss/Mean", 10)), QStringList({"loss/mean"}));
    QCOMPARE(namesOf(*outline, outline->search("dnn", 10)).value(0), QString("dnn"));
    QVERIFY(outline->search("", 10).empty());
    QCOMPARE(outline->search("h0", 2).size(), std::size_t{2});
}

void TstGraphView::whatFlowsGoesToTheRight()
{
    GraphView view;
    view.resize(800, 600);
    const auto outline = smallGraph();
    view.setGraph(outline);
    const auto left = [&](const char* name) {
        return view.drawing().box(outline->find(name))->place.left();
    };
    QCOMPARE(view.drawing().boxes.size(), std::size_t{4});
    QVERIFY(left("rows") < left("dnn"));
    QVERIFY(left("dnn") < left("init"));
    view.setOpen(outline->find("dnn"), true);
    view.setOpen(outline->find("dnn/h0"), true);
    QCOMPARE(view.drawing().boxes.size(), std::size_t{8});
    QVERIFY(left("dnn/h0/kernel") < left("dnn/h0/MatMul"));
    QVERIFY(left("dnn/h0/MatMul") < left("dnn/h0/BiasAdd"));
    QVERIFY(isTidy(view.drawing(), *outline));
    view.setOpen(outline->find("dnn"), false);
    QCOMPARE(view.drawing().boxes.size(), std::size_t{4});
}

void TstGraphView::keysWalkAndOpen()
{
    GraphView view;
    view.resize(800, 600);
    const auto outline = smallGraph();
    view.setGraph(outline);
    view.select(outline->find("rows"));
    QTest::keyClick(&view, Qt::Key_Right);
    QCOMPARE(outline->item(view.selected()).name, QString("dnn"));
    const auto spoken = [&] {
        return QAccessible::queryAccessibleInterface(&view)->text(QAccessible::Value);
    };
    QCOMPARE(spoken(), QString("dnn, scope with 3 operations, folded"));
    QTest::keyClick(&view, Qt::Key_Return);
    QCOMPARE(outline->item(view.selected()).name, QString("dnn/h0"));
    QTest::keyClick(&view, Qt::Key_Return);
    QCOMPARE(spoken(), QString("kernel, operation VariableV2, float32 [4, 8]"));
    QTest::keyClick(&view, Qt::Key_Backspace);
    QTest::keyClick(&view, Qt::Key_Backspace);
    QCOMPARE(spoken(), QString("dnn, scope with 3 operations, open"));
    QTest::keyClick(&view, Qt::Key_Return);
    QVERIFY(!view.isOpen(outline->find("dnn")));
    const double before = view.transform().m11();
    QTest::keyClick(&view, Qt::Key_Minus);
    QVERIFY(view.transform().m11() < before);
    QTest::keyClick(&view, Qt::Key_F);
    QVERIFY(!view.grab().isNull());
}

void TstGraphView::aSelectedOperationIsShownWhereverItIs()
{
    std::vector<GraphNodeFacts> nodes;
    for (int i = 0; i < 1000; ++i) {
        nodes.push_back({.name = QString("flat/op_%1").arg(i), .op = "NoOp"});
    }
    const auto outline = outlineOf(std::move(nodes));
    GraphView view;
    view.resize(600, 400);
    view.setGraph(outline);
    QCOMPARE(view.drawing().boxes.size(), std::size_t{1});
    const int last = outline->find("flat/op_999");
    view.select(last);
    QVERIFY(view.isOpen(outline->find("flat")));
    QVERIFY(view.drawing().box(last));
    QCOMPARE(view.drawing().boxes.size(), std::size_t{kMostGraphChildren + 2});
    QCOMPARE(view.drawing().box(outline->find("flat"))->hidden, 1000 - kMostGraphChildren - 1);
    QVERIFY(isTidy(view.drawing(), *outline));
    QVERIFY(!view.grab().isNull());
}

void TstGraphView::loopsAndHostileNamesAreDrawn()
{
    const QString deep = QString("a/").repeated(3000) + "b";
    const auto outline = outlineOf({{"loop", "Merge", {"next", "loop"}, {}, ""},
                                    {"next", "NextIteration", {"loop:1", ":", "", "^"}, {}, ""},
                                    {"", "Empty", {""}, {}, ""},
                                    {"/", "Slash", {}, {}, ""},
                                    {"//x//y/", "Slashes", {deep}, {}, ""},
                                    {"next", "Twice", {}, {}, ""},
                                    {deep, "Deep", {}, {}, ""}});
    GraphView view;
    view.resize(600, 400);
    view.setGraph(outline);
    for (int item = 0; item < outline->size(); ++item) {
        view.select(item);
        view.setOpen(item, true);
        QVERIFY(!view.describe(item).isEmpty());
    }
    QVERIFY(isTidy(view.drawing(), *outline));
    QVERIFY(!view.grab().isNull());
    view.setGraph(outlineOf({}));
    QVERIFY(!view.grab().isNull());
    QTest::keyClick(&view, Qt::Key_Right);
    view.setGraph(nullptr);
    QTest::keyClick(&view, Qt::Key_Return);
    QVERIFY(!view.grab().isNull());
}

void TstGraphView::tenThousandOperationsAreQuick()
{
    std::vector<GraphNodeFacts> nodes;
    for (int i = 0; i < 10'000; ++i) {
        const QString name = QString("tower_%1/layer_%2/op_%3").arg(i / 1000).arg(i / 50 % 20);
        nodes.push_back({.name = name.arg(i), .op = "Add"});
        for (const int back : {1, 7, 60}) {
            if (i >= back) {
                nodes.back().inputs.append(nodes[std::size_t(i - back)].name);
            }
        }
    }
    const auto outline = outlineOf(std::move(nodes));
    GraphView view;
    view.resize(900, 600);
    QElapsedTimer clock;
    clock.start();
    view.setGraph(outline);
    view.setOpen(outline->find("tower_5"), true);
    view.setOpen(outline->find("tower_5/layer_5"), true);
    QVERIFY(!view.grab().isNull());
    QCOMPARE(view.drawing().boxes.size(), std::size_t{10 + 20 + 50});
    QVERIFY(isTidy(view.drawing(), *outline));
    QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
}

CANNERY_TEST(TstGraphView)
#include "tst_graph_view.moc"
