// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/event_reader.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/event_values.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QTest>

#include <map>

using namespace cannery;
using namespace cannery::tests;

namespace {

/// tf.estimator.LinearRegressor(feature_columns=[numeric_column('feats')], optimizer='SGD') on
/// tf.data.Dataset.from_tensors(({"feats": [1.]}, [1.])).repeat(10000).batch(10), ten steps of
/// training and of evaluation. LinearRegressor makes 'SGD' one with the learning rate 0.2.
constexpr char kLinearRegressor[] = R"(
data {
  train { csv { files: "guide.csv" } }
  eval { csv { files: "guide.csv" } }
  label { column: "label" }
}
feature_column { name: "feats" numeric_column { key: "feats" } }
estimator { linear_regressor { feature_columns: "feats" optimizer { sgd { learning_rate: 0.2 } } } }
train_spec { max_steps: 10 input { batch_size: 10 num_epochs: 10000 shuffle: false } }
eval_spec { steps: 10 input { batch_size: 10 num_epochs: 10000 shuffle: false } }
run_config { save_summary_steps: 1 }
)";

/// What TensorFlow 2.15 logs with MirroredStrategy over one or two devices, and without a strategy.
/// (Its summaries have under step 1 what its log calls step 0.)
const std::map<std::int64_t, float> kLosses{{1, 1.0F}, {10, 2.877698e-13F}};
constexpr float kEvaluated = 1.4210855e-14F;

/// The values of the tag "loss" in the event files of a folder, by step.
std::map<std::int64_t, float> lossesOf(const QString& folder)
{
    std::map<std::int64_t, float> losses;
    forEachEventValue(folder.toStdString(),
                      [&](std::int64_t step, const storage::EventValue& value) {
                          if (value.tag == "loss") {
                              losses[step] = std::get<float>(value.value);
                          }
                      });
    return losses;
}

} // namespace

/// The examples of TensorFlow's guide to distributed training with estimators.
class TstDistributionGuide : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aLinearRegressorLosesWhatTheGuideSays_data();
    void aLinearRegressorLosesWhatTheGuideSays();
    void twoWorkersTrainDigits();
};

void TstDistributionGuide::aLinearRegressorLosesWhatTheGuideSays_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<QString>("strategy");
    const QStringList train{"train"};
    const QString two = "[\"CPU:0\", \"CPU:1\"]";
    QTest::newRow("one device") << train << "one_device {}";
    QTest::newRow("mirrored") << train << "mirrored {}";
    QTest::newRow("mirrored twice") << train << "mirrored { devices: " + two + " }";
    QTest::newRow("central storage") << train << "central_storage { compute_devices: " + two + " }";
    QTest::newRow("four batches") << train << "mirrored {} virtual_shards: 4";
    QTest::newRow("two workers") << QStringList{"launch", "-n", "2"} << "multi_worker_mirrored {}";
}

void TstDistributionGuide::aLinearRegressorLosesWhatTheGuideSays()
{
    QFETCH(const QStringList, command);
    QFETCH(const QString, strategy);
    const ProjectFixture project;
    project.write("guide.csv", "feats,label\n1,1\n");
    project.write("guide.cannery", kLinearRegressor);
    const ProgramResult trained =
        project.run(command + QStringList{"guide.cannery", "--model-dir", "model", "--json",
                                          "--set", "strategy={ " + strategy + " }"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const QJsonObject metrics = json(trained)["metrics"].toObject();
    for (const char* key : {"loss", "average_loss"}) {
        QVERIFY(static_cast<float>(metrics[QLatin1String(key)].toDouble(-1)) == kEvaluated);
    }
    const std::map<std::int64_t, float> losses = lossesOf(project.path("model"));
    QCOMPARE(losses.size(), std::size_t(10));
    for (const auto& [step, loss] : kLosses) {
        QVERIFY(losses.at(step) == loss); // not merely close
    }
}

/// The guide's multi-worker job, of handwritten digits: the rows are parted, and each worker has a
/// batch of its own.
void TstDistributionGuide::twoWorkersTrainDigits()
{
    const ProjectFixture project;
    copyExample("digits", project.path("digits"));
    const QStringList settings{"--json", "--set", "train_spec.max_steps=150", "--set",
                               "train_spec.input.batch_size=32"};
    const auto digits = [&](const QStringList& command, const QString& strategy) {
        return project.run(
            command +
            QStringList{"digits/digits.cannery", "--set", "strategy={ " + strategy + " }"} +
            settings);
    };
    const ProgramResult launched = digits({"launch", "-n", "2"}, "multi_worker_mirrored {}");
    QVERIFY2(launched.exitCode == 0, qPrintable(launched.err));
    const QJsonObject report = json(launched);
    QCOMPARE(report["global_step"].toInt(), 150);
    const double accuracy = report["metrics"].toObject()["accuracy"].toDouble();
    QVERIFY2(accuracy > 0.9, qPrintable(launched.out));
    QVERIFY(!report["exports"].toArray().isEmpty());

    const ProgramResult alone = digits({"train"}, "virtual_shards: 2");
    QVERIFY2(alone.exitCode == 0, qPrintable(alone.err));
    const QString bits = "digits/runs/run-00%1/model.ckpt-150.data-00000-of-00001";
    QVERIFY(project.read(bits.arg(1)).size() > 100'000);
    QVERIFY(project.read(bits.arg(1)) == project.read(bits.arg(2)));
    QCOMPARE(json(alone)["metrics"].toObject(), report["metrics"].toObject());
    const QByteArray worker = project.read("digits/runs/run-001/launch/worker-0.log");
    QVERIFY2(worker.contains("Finished, step 150"), worker);
}

CANNERY_TEST(TstDistributionGuide)
#include "tst_distribution_guide.moc"
