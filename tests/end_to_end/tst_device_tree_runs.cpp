// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/device_machine.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::tests;

namespace {

constexpr int kTreeRows = 6000; ///< with one thread, the emulated GPU sums the roots
constexpr const char* kLastTensors = "/model.ckpt-8.data-00000-of-00001";

QByteArray treeTable()
{
    QByteArray table = "a,b,y\n";
    for (int row = 0; row < kTreeRows; ++row) {
        const int a = row * 389 % 1009;
        const int b = row * row % 997;
        const QByteArray y = a > 400 && b < 700 ? "1" : "0";
        table += QByteArray::number(a) + "," + QByteArray::number(b) + "," + y + "\n";
    }
    return table;
}

QByteArray treeExperiment(const QByteArray& growth)
{
    return "data { train { csv { files: \"rows.csv\" } } eval { csv { files: \"rows.csv\" } } "
           "label { column: \"y\" } }\n"
           "feature_column { name: \"a\" numeric_column { key: \"a\" } }\n"
           "feature_column { name: \"b\" numeric_column { key: \"b\" } }\n"
           "estimator { boosted_trees_classifier { feature_columns: [\"a\", \"b\"] n_trees: 8 " +
           growth +
           " } }\n"
           "train_spec { max_steps: 100 }\n"
           "eval_spec { throttle_secs: 0 }\n"
           "run_config { tf_random_seed: 3 save_checkpoints_steps: 2 }\n";
}

/// A project with such a table.
struct TreeProject : ProjectFixture
{
    explicit TreeProject(const QByteArray& growth = "histogram { max_leaves: 6 }")
    {
        write("rows.csv", treeTable());
        write("trees.cannery", treeExperiment(growth));
    }

    ProgramResult train(const QString& strategy, const QStringList& more = {}) const
    {
        return run(QStringList{"train", "trees.cannery", "--threads", "1", "--set", strategy} +
                   more);
    }
};

} // namespace

/// Whole trainings of trees on an emulated GPU.
class TstDeviceTreeRuns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { qputenv("CANNERY_CUDA_PLUGIN", CANNERY_EMULATED_PLUGIN); }
    void growTheTreesOfTheCpu();
    void goOnAfterALoss();
    void tellWhatMemoryIsMissing();
    void tryBothDevices();
    void refuseTreesThatGrowLayerByLayer();
};

void TstDeviceTreeRuns::growTheTreesOfTheCpu()
{
    const TreeProject project;
    QCOMPARE(project.train(kOnCpu, {"--model-dir", "whole"}).exitCode, 0);
    int last = 0;
    for (const char* strategy : {kOnGpu, kOnCpu, kOnGpu, kOnGpu}) {
        last += 2;
        const ProgramResult part =
            project.train(strategy, {"--model-dir", "parts", "--set",
                                     QString("train_spec.max_steps=%1").arg(last)});
        QVERIFY2(part.exitCode == 0, qPrintable(part.err));
    }
    QVERIFY(project.exists(QString("whole") + kLastTensors));
    QCOMPARE(project.read(QString("parts") + kLastTensors),
             project.read(QString("whole") + kLastTensors));
    const QByteArray log = project.read("parts/train.log");
    QVERIFY(log.contains("The training rows are in the GPU's memory: "));
    QVERIFY(log.contains("The CPU evaluates: A GPU does not evaluate trees."));
    QVERIFY(!project.read("whole/train.log").contains("GPU"));
}

void TstDeviceTreeRuns::goOnAfterALoss()
{
    const TreeProject project;
    QCOMPARE(project.train(kOnCpu, {"--model-dir", "whole"}).exitCode, 0);
    {
        const Machine failing{{kLoseAt, "6"}};
        const ProgramResult lost = project.train(kOnGpu);
        QCOMPARE(lost.exitCode, 202);
        QVERIFY2(lost.err.contains("GPU:0 (Emulated device) is lost"), qPrintable(lost.err));
    }
    QVERIFY(!project.exists(QString("runs/run-001") + kLastTensors));
    const ProgramResult resumed = project.run({"resume", "run-001"});
    QVERIFY2(resumed.exitCode == 0, qPrintable(resumed.err));
    QCOMPARE(project.read(QString("runs/run-001") + kLastTensors),
             project.read(QString("whole") + kLastTensors));
    const QJsonObject run = json(project.run({"runs", "show", "run-001", "--json"}));
    QCOMPARE(run["device"].toString(), QString(kGpu) + ", float32");
}

void TstDeviceTreeRuns::tellWhatMemoryIsMissing()
{
    const TreeProject project;
    const Machine small{{kMemory, "50000"}};
    const ProgramResult refused = project.train(kOnGpu);
    QVERIFY(refused.exitCode != 0);
    QVERIFY2(refused.err.contains("The table of training rows as bins does not fit into the GPU's "
                                  "memory: "),
             qPrintable(refused.err));
}

void TstDeviceTreeRuns::tryBothDevices()
{
    const TreeProject project;
    const ProgramResult tried =
        project.train("strategy={ one_device { device: \"auto\" } }", {"--model-dir", "run"});
    QVERIFY2(tried.exitCode == 0, qPrintable(tried.err));
    const QByteArray log = project.read("run/train.log");
    QVERIFY2(log.contains("steps per second on GPU:0 (Emulated device), "), log.constData());
}

void TstDeviceTreeRuns::refuseTreesThatGrowLayerByLayer()
{
    const TreeProject project("n_batches_per_layer: 1");
    const ProgramResult refused = project.train(kOnGpu);
    QVERIFY(refused.exitCode != 0);
    QVERIFY2(refused.err.contains("add histogram {} to it"), qPrintable(refused.err));
    const ProgramResult chosen =
        project.train("strategy={ one_device { device: \"auto\" } }",
                      {"--model-dir", "run", "--set", "train_spec.max_steps=2"});
    QVERIFY2(chosen.exitCode == 0, qPrintable(chosen.err));
    QVERIFY(project.read("run/train.log")
                .contains("The CPU trains: A GPU does not train trees that grow layer by layer "
                          "(without histogram)"));
}

CANNERY_TEST(TstDeviceTreeRuns)
#include "tst_device_tree_runs.moc"
