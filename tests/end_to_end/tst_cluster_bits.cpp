// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/cluster_tasks.h"
#include "tests/support/test_main.h"

#include <QCryptographicHash>
#include <QJsonDocument>
#include <QTest>

using namespace cannery;
using namespace cannery::tests;

/// A-1: with virtual_shards, any number of workers trains the bits of one process: weights, slots
/// and metrics.
class TstClusterBits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void launchedClustersTrainTheBitsOfOneProcess_data();
    void launchedClustersTrainTheBitsOfOneProcess();
    void handStartedTasksTrainTheSameBits();
    void anotherStrategyHasTheSameBits();
    void globalNormalizationHasTheSameBitsEverywhere();
    void anotherNumberOfWorkersGoesOn();
    void anEndedTrainingIsLeftAlone();

private:
    static constexpr int kSteps = 200;

    static QStringList words(const QString& folder, int steps = kSteps, const char* threads = "1")
    {
        return {"bits.cannery",
                "--model-dir",
                folder,
                "--threads",
                threads,
                "--set",
                QString("train_spec.max_steps=%1").arg(steps)};
    }
    /// SHA-256 of the last checkpoint: what it names, weights and slots.
    QByteArray bitsOf(const QString& folder, int steps = kSteps) const
    {
        QCryptographicHash hash(QCryptographicHash::Sha256);
        for (const char* end : {".index", ".data-00000-of-00001"}) {
            const QByteArray bytes =
                m_project.read(QString("%1/model.ckpt-%2%3").arg(folder).arg(steps).arg(end));
            if (bytes.size() < 100) {
                return "no checkpoint in " + folder.toUtf8();
            }
            hash.addData(bytes);
        }
        return hash.result().toHex();
    }
    static QByteArray metricsOf(const ProgramResult& result)
    {
        return QJsonDocument(json(result)["metrics"].toObject()).toJson();
    }

    ProjectFixture m_project;
    QByteArray m_bits; ///< of one process
    QByteArray m_metrics;
};

namespace {

/// Every kind of variable that is summed: dense layers, moments of batch normalization, embeddings
/// and linear weights of categories, dense linear weights; three kinds of slots.
constexpr char kBits[] = R"(name: "bits"
data {
  train { csv { files: "table.csv" } }
  eval { csv { files: "table.csv" } }
  label { column: "label" }
}
feature_column { name: "x" numeric_column { key: "x" } }
feature_column { name: "y" numeric_column { key: "y" normalizer { z_score {} } } }
feature_column { name: "colour" categorical_column_with_vocabulary_list { key: "colour" vocabulary_list: ["red", "green", "blue"] } }
feature_column { name: "id" categorical_column_with_hash_bucket { key: "id" hash_bucket_size: 50 dtype: int64 } }
feature_column { name: "id_embedding" embedding_column { categorical_column: "id" dimension: 3 } }
estimator {
  dnn_linear_combined_classifier {
    linear_feature_columns: ["x", "colour", "id"]
    linear_optimizer { ftrl { learning_rate: 0.1 l1_regularization_strength: 0.001 } }
    dnn_feature_columns: ["x", "y", "id_embedding"]
    dnn_hidden_units: [8, 4]
    dnn_optimizer { adam { learning_rate: 0.01 } }
    dnn_dropout: 0.1
    batch_norm: true
  }
}
train_spec { max_steps: 200 input { batch_size: 3 shuffle: true } }
eval_spec { steps: 0 throttle_secs: 0 input { batch_size: 64 } }
run_config { tf_random_seed: 11 save_checkpoints_steps: 100 save_summary_steps: 100 }
strategy { multi_worker_mirrored {} virtual_shards: 8 }
)";

} // namespace

void TstClusterBits::initTestCase()
{
    m_project.write("bits.cannery", kBits);
    const ProgramResult alone = m_project.run(QStringList{"train", "--json"} + words("alone"));
    QVERIFY2(alone.exitCode == 0, qPrintable(alone.err));
    m_bits = bitsOf("alone");
    m_metrics = metricsOf(alone);
    QVERIFY2(m_bits.size() == 64, m_bits);
    QVERIFY2(m_metrics.contains("\"accuracy\""), m_metrics);
}

void TstClusterBits::launchedClustersTrainTheBitsOfOneProcess_data()
{
    QTest::addColumn<int>("workers");
    for (const int workers : {1, 2, 4, 8}) {
        QTest::addRow("%d workers", workers) << workers;
    }
}

void TstClusterBits::launchedClustersTrainTheBitsOfOneProcess()
{
    QFETCH(const int, workers);
    const QString folder = QString("launched-%1").arg(workers);
    const ProgramResult launched = m_project.run(
        QStringList{"launch", "--json", "-n", QString::number(workers)} + words(folder));
    QVERIFY2(launched.exitCode == 0, qPrintable(launched.err));
    QCOMPARE(bitsOf(folder), m_bits);
    QCOMPARE(metricsOf(launched), m_metrics);
}

void TstClusterBits::handStartedTasksTrainTheSameBits()
{
    ClusterTasks tasks(m_project.path(""), 4, QStringList{"train", "--json"} + words("by-hand"));
    tasks.startAll();
    QCOMPARE(tasks.endAll(), QList<int>({0, 0, 0, 0}));
    QCOMPARE(bitsOf("by-hand"), m_bits);
    const ProgramResult chief{.exitCode = 0,
                              .out = QString::fromUtf8(tasks.process(0).readAllStandardOutput()),
                              .err = {}};
    QCOMPARE(metricsOf(chief), m_metrics);
}

void TstClusterBits::anotherStrategyHasTheSameBits()
{
    const ProgramResult one =
        m_project.run(QStringList{"train", "--json"} + words("one-device") +
                      QStringList{"--set", "strategy={ one_device {} virtual_shards: 8 }"});
    QVERIFY2(one.exitCode == 0, qPrintable(one.err));
    QCOMPARE(bitsOf("one-device"), m_bits);
    QCOMPARE(metricsOf(one), m_metrics);
}

/// Other bits than normalization by replicas has, but the same for any replicas and threads.
void TstClusterBits::globalNormalizationHasTheSameBitsEverywhere()
{
    const auto trained = [&](const QStringList& command, const QString& folder,
                             const QStringList& settings, const char* threads = "1") {
        const ProgramResult result = m_project.run(command + words(folder, 60, threads) + settings);
        return result.exitCode == 0 ? metricsOf(result) : result.err.toUtf8();
    };
    const QStringList train{"train", "--json"};
    const QStringList global{"--set", "strategy.batch_norm_scope=global"};
    const QByteArray metrics = trained(train, "global", global);
    const QByteArray bits = bitsOf("global", 60);
    QVERIFY2(metrics.contains("\"accuracy\""), metrics);
    QVERIFY2(bits.size() == 64, bits);
    QVERIFY(trained(train, "replica", {}) != metrics);
    for (const char* workers : {"2", "4", "8"}) {
        const QString folder = QString("global-") + workers;
        QCOMPARE(trained({"launch", "--json", "-n", workers}, folder, global), metrics);
        QCOMPARE(bitsOf(folder, 60), bits);
    }
    const QString two = "[\"CPU:0\", \"CPU:1\"]";
    for (const QString& strategy : {QString("one_device {}"), "mirrored { devices: " + two + " }",
                                    "central_storage { compute_devices: " + two + " }"}) {
        const QString folder = "global-" + strategy.section(' ', 0, 0);
        const QStringList settings{"--set", "strategy={ " + strategy +
                                                " virtual_shards: 8 batch_norm_scope: global }"};
        QCOMPARE(trained(train, folder, settings, "3"), metrics);
        // A mirrored one's has slots of each replica.
        QVERIFY(strategy.startsWith("mirrored") || bitsOf(folder, 60) == bits);
    }
}

void TstClusterBits::anotherNumberOfWorkersGoesOn()
{
    for (const auto& [workers, steps] :
         {std::pair(2, 70), std::pair(4, 130), std::pair(1, kSteps)}) {
        const ProgramResult part = m_project.run(
            QStringList{"launch", "-n", QString::number(workers)} + words("resized", steps));
        QVERIFY2(part.exitCode == 0, qPrintable(part.err));
    }
    QCOMPARE(bitsOf("resized"), m_bits);
}

void TstClusterBits::anEndedTrainingIsLeftAlone()
{
    const QStringList launch = QStringList{"launch", "-n", "2"} + words("resized");
    const ProgramResult again = m_project.run(launch);
    QVERIFY2(again.exitCode == 0, qPrintable(again.err));
    QVERIFY2(again.err.contains("nothing to do") && !again.err.contains("signal"),
             qPrintable(again.err));
    QCOMPARE(bitsOf("resized"), m_bits);
}

CANNERY_TEST(TstClusterBits)
#include "tst_cluster_bits.moc"
