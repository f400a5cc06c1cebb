// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/graph_runner.h"
#include "core/export/graph_runner/while_loop.h"
#include "storage/tf/graphs/saved_model_writer.h"
#include "tests/core/export/single_op.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::tests;
using storage::GraphDefBuilder;
using storage::NodeRef;

/// Whole graphs: loops, as tf.while_loop writes them without functions, order, and state between
/// runs. TensorFlow 2.15.1 computes the same of
/// tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * 2 + 1), [0, 3.0]): 4 and 63.
class TstGraphLoops : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void loopsRunUntilTheirCondition();
    void loopsMayEndBeforeTheyBegin();
    void conditionsThatAreNoBoolAreRefused();
    void loopsWithinLoopsAreRefused();
    void incompleteLoopsAreRefused_data();
    void incompleteLoopsAreRefused();
    void loopOperationsBelongToLoops();
    void controlsRunFirst();
    void variablesKeepTheirValuesBetweenRuns();
    void cyclesAndUnknownPartsAreNamed();
};

namespace {

constexpr DType kInt = DType::Int32;
constexpr DType kFloat = DType::Float32;

/// A graph that is exported and loaded again.
class TestedGraph
{
public:
    GraphDefBuilder graph;

    NodeRef add(const std::string& op, const std::string& name, const std::vector<NodeRef>& inputs,
                const storage::Attrs& attrs = {}, const std::vector<NodeRef>& controls = {})
    {
        return graph.add(op, name, inputs, attrs, controls);
    }
    void output(const std::string& key, const NodeRef& tensor)
    {
        m_signature.outputs[key] = {.name = tensor.tensor(), .dtype = kFloat, .shape = {}};
    }
    void input(const std::string& key, const NodeRef& tensor)
    {
        m_signature.inputs[key] = {.name = tensor.tensor(), .dtype = kFloat, .shape = {}};
    }
    Result<exporting::GraphRunner> load(const std::vector<storage::NamedTensor>& variables = {})
    {
        m_signature.methodName = storage::kPredictMethod;
        CANNERY_TRY_ASSIGN(const std::string folder,
                           storage::writeSavedModel(
                               m_folder.path().toStdString(),
                               storage::makeMetaGraph(graph, {{"f", m_signature}}), variables));
        return exporting::GraphRunner::load(folder);
    }
    Result<exporting::NamedTensors> run(const exporting::NamedTensors& inputs = {})
    {
        CANNERY_TRY_ASSIGN(exporting::GraphRunner runner, load());
        return runner.run("f", inputs);
    }

private:
    QTemporaryDir m_folder;
    storage::Signature m_signature;
};

/// i < limit: i + 1, a * 2 + 1, from 0 and 3. Each test may leave out or replace a part.
struct Loop
{
    std::string without;    ///< an operation that is an Identity instead
    bool isNested = false;  ///< the body reads the end of another loop
    bool hasNoBool = false; ///< the condition is a number

    std::string op(const char* name) const { return name == without ? "Identity" : name; }

    void addTo(TestedGraph& made, const NodeRef& limit, const std::string& frame = "loop") const
    {
        const auto scope = made.graph.enterScope(frame);
        const auto enter = [&](const NodeRef& value, DType dtype, bool isConstant) {
            return made.add(op("Enter"), "Enter", {value},
                            {{"T", dtype}, {"frame_name", frame}, {"is_constant", isConstant}});
        };
        const auto merge = [&](const NodeRef& initial, DType dtype, const char* next) {
            return made.add(op("Merge"), "Merge",
                            {enter(initial, dtype, false), {frame + "/" + next, 0}},
                            {{"T", dtype}, {"N", 2}});
        };
        const NodeRef most = enter(limit, kInt, true);
        const NodeRef one = enter(made.graph.constant("one", 1), kInt, true);
        const NodeRef two = enter(made.graph.constant("two", 2.0F), kFloat, true);
        const NodeRef single = enter(made.graph.constant("single", 1.0F), kFloat, true);
        const NodeRef i = merge(made.graph.constant("zero", 0), kInt, "next_i");
        const NodeRef a = merge(made.graph.constant("three", 3.0F), kFloat, "next_a");
        const NodeRef less = hasNoBool ? most : made.add("Less", "Less", {i, most}, {{"T", kInt}});
        const NodeRef goesOn = made.add(op("LoopCond"), "LoopCond", {less});
        const NodeRef thisI = made.add(op("Switch"), "Switch", {i, goesOn}, {{"T", kInt}});
        const NodeRef thisA = made.add(op("Switch"), "Switch", {a, goesOn}, {{"T", kFloat}});
        const NodeRef nextI = made.add("AddV2", "i", {thisI.at(1), one}, {{"T", kInt}});
        const NodeRef twice = made.add("Mul", "twice", {thisA.at(1), two}, {{"T", kFloat}});
        const NodeRef nextA = made.add(
            "AddV2", "a", {twice, isNested ? NodeRef("inner/Exit_1") : single}, {{"T", kFloat}});
        made.add(op("NextIteration"), "next_i", {nextI}, {{"T", kInt}});
        made.add(op("NextIteration"), "next_a", {nextA}, {{"T", kFloat}});
        made.output(frame + "_i", made.add("Exit", "Exit", {thisI}, {{"T", kInt}}));
        made.output(frame + "_a", made.add("Exit", "Exit", {thisA}, {{"T", kFloat}}));
    }
};

std::string shown(const Result<exporting::NamedTensors>& outputs, const std::string& key,
                  const HostTensor& expected)
{
    return outputs ? difference(outputs->at(key), expected) : outputs.error().message();
}

} // namespace

void TstGraphLoops::loopsRunUntilTheirCondition()
{
    TestedGraph made;
    const NodeRef limit = made.graph.placeholder("limit", kInt, {});
    made.input("limit", limit);
    Loop().addTo(made, limit);
    Loop().addTo(made, made.graph.constant("two", 2), "other");
    auto runner = made.load();
    VERIFY_OK(runner);
    const auto outputs = runner->run("f", {{"limit", HostTensor::scalar(4)}});
    QCOMPARE(shown(outputs, "loop_i", HostTensor::scalar(4)), "");
    QCOMPARE(shown(outputs, "loop_a", HostTensor::scalar(63.0F)), "");
    QCOMPARE(shown(outputs, "other_i", HostTensor::scalar(2)), "");
    QCOMPARE(shown(outputs, "other_a", HostTensor::scalar(15.0F)), "");
    // Nothing of one run is left in the next.
    QCOMPARE(shown(runner->run("f", {{"limit", HostTensor::scalar(1)}}), "loop_a",
                   HostTensor::scalar(7.0F)),
             "");
    VERIFY_ERROR(runner->run("f", {}), "export.no_input");
}

void TstGraphLoops::loopsMayEndBeforeTheyBegin()
{
    TestedGraph made;
    Loop().addTo(made, made.graph.constant("limit", 0));
    const auto outputs = made.run();
    QCOMPARE(shown(outputs, "loop_i", HostTensor::scalar(0)), "");
    QCOMPARE(shown(outputs, "loop_a", HostTensor::scalar(3.0F)), "");
}

void TstGraphLoops::conditionsThatAreNoBoolAreRefused()
{
    TestedGraph made;
    Loop{.hasNoBool = true}.addTo(made, made.graph.constant("limit", 1));
    VERIFY_ERROR(made.run(), "export.no_output");
}

void TstGraphLoops::loopsWithinLoopsAreRefused()
{
    TestedGraph made;
    const NodeRef limit = made.graph.constant("limit", 3);
    Loop().addTo(made, limit, "inner");
    Loop{.isNested = true}.addTo(made, limit, "outer");
    VERIFY_ERROR(made.run(), "export.graph_nested_loop");
}

void TstGraphLoops::incompleteLoopsAreRefused_data()
{
    QTest::addColumn<QString>("without");
    for (const char* part : {"Enter", "Merge", "LoopCond", "Switch", "NextIteration"}) {
        QTest::newRow(part) << QString(part);
    }
}

void TstGraphLoops::incompleteLoopsAreRefused()
{
    QFETCH(const QString, without);
    TestedGraph made;
    Loop{.without = without.toStdString()}.addTo(made, made.graph.constant("limit", 3));
    VERIFY_ERROR(made.run(), "export.graph_loop");
}

void TstGraphLoops::loopOperationsBelongToLoops()
{
    for (const char* op : {"Exit", "Merge", "Switch"}) {
        VERIFY_REFUSES(runOp(op, {HostTensor::scalar(1.0F)}));
    }
    for (const char* op : {"Enter", "LoopCond", "NextIteration"}) {
        VERIFY_GIVES(runOp(op, {HostTensor::scalar(true)}), 0U, HostTensor::scalar(true));
        VERIFY_REFUSES(runOp(op, {}));
    }
}

void TstGraphLoops::controlsRunFirst()
{
    TestedGraph made;
    const auto& variable = made.graph.variable({.name = "v", .dtype = kFloat, .shape = Shape{}});
    const NodeRef five = made.graph.constant("five", 5.0F);
    const NodeRef set =
        made.add("AssignVariableOp", "set", {variable.handle, five}, {{"dtype", kFloat}});
    const NodeRef more = made.add("AssignAddVariableOp", "more", {variable.handle, five},
                                  {{"dtype", kFloat}}, {set});
    made.output("sum", made.add("ReadVariableOp", "sum", {variable.handle}, {{"dtype", kFloat}},
                                {made.graph.group("both", {set, more})}));
    const std::vector<float> stored{1};
    auto runner =
        made.load({{"v", storage::TensorView::of(std::span<const float>(stored), Shape{})}});
    VERIFY_OK(runner);
    QCOMPARE(shown(runner->run("f", {}), "sum", HostTensor::scalar(10.0F)), "");
}

void TstGraphLoops::variablesKeepTheirValuesBetweenRuns()
{
    TestedGraph made;
    const auto& variable = made.graph.variable({.name = "v", .dtype = kFloat, .shape = Shape{}});
    const NodeRef more =
        made.add("AssignAddVariableOp", "more", {variable.handle, made.graph.constant("two", 2.0F)},
                 {{"dtype", kFloat}});
    made.output("before", variable.read);
    made.output("sum",
                made.add("ReadVariableOp", "sum", {variable.handle}, {{"dtype", kFloat}}, {more}));
    const std::vector<float> stored{40};
    auto runner =
        made.load({{"v", storage::TensorView::of(std::span<const float>(stored), Shape{})}});
    VERIFY_OK(runner);
    // What a run does not ask for is not done.
    QCOMPARE(shown(runner->run("f", {}, {"before"}), "before", HostTensor::scalar(40.0F)), "");
    QCOMPARE(shown(runner->run("f", {}, {"sum"}), "sum", HostTensor::scalar(42.0F)), "");
    QCOMPARE(shown(runner->run("f", {}, {"sum"}), "sum", HostTensor::scalar(44.0F)), "");
    QCOMPARE(shown(runner->run("f", {}, {"before"}), "before", HostTensor::scalar(44.0F)), "");
    VERIFY_ERROR(runner->run("f", {}, {"absent"}), "export.no_signature_output");
    VERIFY_ERROR(runner->run("g", {}), "export.no_signature");
}

void TstGraphLoops::cyclesAndUnknownPartsAreNamed()
{
    TestedGraph cycle;
    cycle.add("Identity", "one", {NodeRef("two")}, {{"T", kFloat}});
    cycle.output("y", cycle.add("Identity", "two", {NodeRef("one")}, {{"T", kFloat}}));
    VERIFY_ERROR(cycle.run(), "export.graph_circle");
    TestedGraph unknown;
    unknown.output("y", unknown.add("Frobnicate", "y", {}));
    VERIFY_ERROR(unknown.run(), "export.graph_unsupported");
    TestedGraph missing;
    missing.output("y", missing.add("Identity", "y", {NodeRef("nobody")}, {{"T", kFloat}}));
    VERIFY_ERROR(missing.run(), "export.no_node");
    TestedGraph second;
    const NodeRef one = second.graph.constant("one", 1.0F);
    second.output("y", second.add("Identity", "y", {one.at(1)}, {{"T", kFloat}}));
    VERIFY_ERROR(second.run(), "export.no_output");
}

CANNERY_TEST(TstGraphLoops)
#include "tst_graph_loops.moc"
