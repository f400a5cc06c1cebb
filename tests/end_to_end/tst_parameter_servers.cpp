// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/cluster_tasks.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QCryptographicHash>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <algorithm>
#include <csignal>

using namespace cannery;
using namespace cannery::tests;

/// `cannery launch --ps`: variables that parameter servers keep.
class TstParameterServers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void oneWorkerTrainsTheBitsOfOneDevice_data();
    void oneWorkerTrainsTheBitsOfOneDevice();
    void synchronousWorkersTrainTheBitsOfMirroredOnes();
    void asynchronousWorkersShareTheSteps();
    void asynchronousWorkersComputeEveryBatchOnce();
    void workersReadFilesOfTheirOwn();
    void killedServersLoseNothingIfToldSo();
    void serversOfAnotherStrategyAreRefused();

private:
    static constexpr int kSteps = 300;

    QStringList words(const QString& folder, const QString& strategy) const
    {
        return {"servers.cannery",
                "--model-dir",
                folder,
                "--threads",
                "1",
                "--set",
                "strategy={ " + strategy + " }"};
    }
    ProgramResult launch(const QStringList& cluster, const QString& folder,
                         const QString& strategy) const
    {
        return m_project.run(QStringList{"launch", "--json"} + cluster + words(folder, strategy));
    }
    /// SHA-256 of weights and slots at the end.
    QByteArray bitsOf(const QString& folder) const
    {
        QCryptographicHash hash(QCryptographicHash::Sha256);
        for (const char* end : {".index", ".data-00000-of-00001"}) {
            const QByteArray bytes =
                m_project.read(QString("%1/model.ckpt-%2%3").arg(folder).arg(kSteps).arg(end));
            if (bytes.size() < 100) {
                return "no checkpoint in " + folder.toUtf8();
            }
            hash.addData(bytes);
        }
        return hash.result().toHex();
    }

    ProjectFixture m_project;
    QByteArray m_bits; ///< of one device
};

namespace {

/// Dense variables, embeddings and linear weights of categories; two kinds of slots.
constexpr char kServers[] = R"(name: "servers"
data {
  train { csv { files: "table.csv" } }
  eval { csv { files: "table.csv" } }
  label { column: "label" }
}
feature_column { name: "x" numeric_column { key: "x" } }
feature_column { name: "id" categorical_column_with_hash_bucket { key: "id" hash_bucket_size: 50 dtype: int64 } }
feature_column { name: "id_embedding" embedding_column { categorical_column: "id" dimension: 3 } }
estimator {
  dnn_linear_combined_classifier {
    linear_feature_columns: ["x", "id"]
    linear_optimizer { ftrl { learning_rate: 0.1 l1_regularization_strength: 0.001 } }
    dnn_feature_columns: ["x", "id_embedding"]
    dnn_hidden_units: [8, 4]
    dnn_optimizer { adam { learning_rate: 0.01 } }
  }
}
train_spec { max_steps: 300 input { batch_size: 3 shuffle: true } }
eval_spec { steps: 0 throttle_secs: 0 input { batch_size: 64 } }
run_config { tf_random_seed: 11 save_checkpoints_steps: 25 }
)";

} // namespace

void TstParameterServers::initTestCase()
{
    m_project.write("servers.cannery", kServers);
    const ProgramResult alone =
        m_project.run(QStringList{"train", "--json"} + words("alone", "one_device {}"));
    QVERIFY2(alone.exitCode == 0, qPrintable(alone.err));
    m_bits = bitsOf("alone");
    QVERIFY2(m_bits.size() == 64, m_bits);
}

void TstParameterServers::oneWorkerTrainsTheBitsOfOneDevice_data()
{
    QTest::addColumn<QString>("servers");
    QTest::addColumn<QString>("options");
    QTest::newRow("one server") << "1"
                                << "";
    QTest::newRow("two servers") << "2"
                                 << "";
    QTest::newRow("parts") << "2"
                           << "variable_partitioner { max_partitions: 2 min_slice_size: 16 }";
}

void TstParameterServers::oneWorkerTrainsTheBitsOfOneDevice()
{
    QFETCH(const QString, servers);
    QFETCH(const QString, options);
    const QString folder = QString("one-%1-%2").arg(servers).arg(options.size());
    const ProgramResult launched =
        launch({"-n", "1", "--ps", servers}, folder, "parameter_server { " + options + " }");
    QVERIFY2(launched.exitCode == 0, qPrintable(launched.err));
    QCOMPARE(bitsOf(folder), m_bits);
    QVERIFY(!m_project.exists(folder + "/parameters"));
}

void TstParameterServers::synchronousWorkersTrainTheBitsOfMirroredOnes()
{
    const ProgramResult mirrored = launch({"-n", "2"}, "mirrored", "multi_worker_mirrored {}");
    QVERIFY2(mirrored.exitCode == 0, qPrintable(mirrored.err));
    const ProgramResult served = launch({"-n", "2", "--ps", "2"}, "sync",
                                        "parameter_server { dense: sync embedding: sync }");
    QVERIFY2(served.exitCode == 0, qPrintable(served.err));
    QVERIFY(bitsOf("mirrored") != m_bits);
    QCOMPARE(bitsOf("sync"), bitsOf("mirrored"));
}

/// Who comes first decides the bits, but not the number of steps.
void TstParameterServers::asynchronousWorkersShareTheSteps()
{
    const ProgramResult launched = launch({"-n", "3", "--ps", "2"}, "async", "parameter_server {}");
    QVERIFY2(launched.exitCode == 0, qPrintable(launched.err));
    QCOMPARE(json(launched)["global_step"].toInt(), kSteps);
    QCOMPARE(bitsOf("async").size(), 64);
    const double trained = json(launched)["metrics"].toObject()["average_loss"].toDouble();
    QVERIFY2(trained > 0 && trained < 0.69, qPrintable(launched.out));
    const ProgramResult evaluated = m_project.run(QStringList{"evaluate", "--json"} +
                                                  words("async", "parameter_server {}").first(3));
    QVERIFY2(evaluated.exitCode == 0, qPrintable(evaluated.err));
    QCOMPARE(json(evaluated)["metrics"].toObject()["average_loss"].toDouble(), trained);
}

/// A killed worker's batch is computed by its next process, and the short last batch is not left
/// out: 1,000 rows are 334 batches.
void TstParameterServers::asynchronousWorkersComputeEveryBatchOnce()
{
    m_project.write("epochs.cannery",
                    QByteArray(kServers).replace("max_steps: 300 input { batch_size: 3",
                                                 "input { batch_size: 3 num_epochs: 5"));
    QStringList same = words("epochs", "parameter_server {}");
    same.front() = "epochs.cannery";
    const auto launcher =
        m_project.start(QStringList{"launch", "--json", "-n", "3", "--ps", "2"} + same);
    QTRY_VERIFY_WITH_TIMEOUT(newestStep(m_project.path("epochs")) > 0, kPatience);
    const pid_t worker = launchedTask(launcher->processId(), "worker:0");
    QVERIFY(worker > 0);
    kill(worker, SIGKILL);
    QVERIFY(launcher->waitForFinished(kPatience));
    const QByteArray told = launcher->readAllStandardError();
    QVERIFY2(launcher->exitCode() == 0, told);
    QVERIFY2(told.contains("worker:0 was killed by signal 9; starting it again"), told);
    const QJsonObject result = QJsonDocument::fromJson(launcher->readAllStandardOutput()).object();
    QCOMPARE(result["global_step"].toInt(), 334);
}

/// Two files are enough for two workers, and too few for three.
void TstParameterServers::workersReadFilesOfTheirOwn()
{
    const QByteArray table = m_project.read("table.csv");
    m_project.write("part-1.csv", table);
    m_project.write("part-2.csv", table);
    m_project.write("files.cannery",
                    QByteArray(kServers)
                        .replace("train { csv { files: \"table.csv\" } }",
                                 "train { csv { files: \"part-*.csv\" } }")
                        .replace("shuffle: true }", "shuffle: true shard: file }"));
    QStringList same = words("files", "parameter_server {}");
    same.front() = "files.cannery";
    const ProgramResult two = m_project.run(QStringList{"launch", "-n", "2", "--ps", "1"} + same);
    QVERIFY2(two.exitCode == 0, qPrintable(two.err));
    same[2] = "few";
    const ProgramResult three =
        m_project.run(QStringList{"launch", "-n", "3", "--ps", "1", "--max-restarts", "0"} + same);
    QVERIFY(three.exitCode != 0);
    QVERIFY2(m_project.read("few/launch/chief-0.log").contains("cut the data into more files"),
             qPrintable(three.err));
}

/// Kills at the beginning and between checkpoints. `CANNERY_SERVER_KILLS=50` is acceptance A-8.
void TstParameterServers::killedServersLoseNothingIfToldSo()
{
    constexpr int kMostInATraining = 4; // the launcher waits longer before each restart of a task
    const int kills = std::max(4, qEnvironmentVariableIntValue("CANNERY_SERVER_KILLS"));
    for (int done = 0; done < kills;) {
        const QString folder = QString("killed-%1").arg(done);
        const auto launcher = m_project.start(
            QStringList{"launch", "-n", "1", "--ps", "2", "--max-restarts", "1000"} +
            words(folder, "parameter_server { snapshot_secs: 0 }"));
        const auto hasEnded = [&] { return launcher->state() == QProcess::NotRunning; };
        QByteArray seen;
        for (int i = 0; i < kMostInATraining && done < kills && !hasEnded(); ++i) {
            const QString task = QString("ps:%1").arg(i % 4 / 2);
            const bool isInTheMiddle = i % 2 == 0; // otherwise as soon as it is there again
            QTRY_VERIFY_WITH_TIMEOUT(hasEnded() || !isInTheMiddle ||
                                         m_project.read(folder + "/checkpoint") != seen,
                                     kPatience);
            seen = m_project.read(folder + "/checkpoint");
            pid_t server = 0; // which stays, also if it ends before the next look
            QTRY_VERIFY_WITH_TIMEOUT(hasEnded() || server > 0 ||
                                         (server = launchedTask(launcher->processId(), task)) > 0,
                                     kPatience);
            done += server > 0 && kill(server, SIGKILL) == 0 ? 1 : 0;
        }
        QVERIFY(hasEnded() || launcher->waitForFinished(kPatience));
        const QByteArray told = launcher->readAllStandardError();
        QVERIFY2(launcher->exitCode() == 0, told);
        QVERIFY2(told.contains("ps:0 was killed by signal 9; starting it again"), told);
        QCOMPARE(bitsOf(folder), m_bits);
    }
}

void TstParameterServers::serversOfAnotherStrategyAreRefused()
{
    const ProgramResult launched =
        launch({"-n", "1", "--ps", "1"}, "other", "multi_worker_mirrored {}");
    QVERIFY(launched.exitCode != 0);
    QVERIFY2(launched.err.contains("the strategy multi_worker_mirrored does not use them"),
             qPrintable(launched.err));
}

CANNERY_TEST(TstParameterServers)
#include "tst_parameter_servers.moc"
