// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/model_evaluation.h"
#include "core/train/opened_model.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTest>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::TrainingFixture;

namespace {

constexpr const char* kTwoReplicas =
    "run_config { eval_distribute { mirrored { devices: [\"CPU:0\", \"CPU:1\"] } } } ";
constexpr const char* kFewSteps = "train_spec { max_steps: 12 input { batch_size: 8 } } "
                                  "run_config { save_checkpoints_steps: 6 } ";
constexpr const char* kFourTables =
    "data { train { csv { files: [\"a.csv\", \"b.csv\", \"c.csv\"] } } } ";

std::string evaluating(int steps)
{
    return std::string(kFewSteps) + "eval_spec { steps: " + std::to_string(steps) +
           " input { batch_size: 8 } } ";
}

/// The metrics of the last evaluation of a training.
std::vector<metrics::MetricValue> metricsOf(const std::string& more,
                                            const std::string& evenMore = "")
{
    const TrainingFixture fixture;
    TrainRequest request = fixture.request(more, evenMore);
    request.threads = 1;
    const Result<TrainReport> report = trainAndEvaluate(request);
    return report && report->evaluation ? report->evaluation->metrics
                                        : std::vector<metrics::MetricValue>();
}

bool areSame(const std::vector<metrics::MetricValue>& left,
             const std::vector<metrics::MetricValue>& right)
{
    return !left.empty() && std::ranges::equal(left, right, [](const auto& a, const auto& b) {
        return a.name == b.name && a.value == b.value;
    });
}

/// A project whose training rows are in four tables of different sizes.
class FourTables
{
public:
    FourTables()
    {
        for (const auto& [name, copies] :
             {std::pair("a.csv", 1), std::pair("b.csv", 3), std::pair("c.csv", 2)}) {
            const std::string table = TrainingFixture::bytes(fixture.path("eval.csv"));
            std::string text = table;
            for (int i = 1; i < copies; ++i) {
                text += table.substr(table.find('\n') + 1);
            }
            QFile file(QString::fromStdString(fixture.path(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text.c_str()) > 0);
        }
    }

    Result<TrainReport> train(const std::string& more, int maxSteps = 12) const
    {
        TrainRequest request =
            fixture.request(std::string(kFewSteps) + kFourTables + "eval_spec { steps: 1 } " + more,
                            "train_spec { input { shuffle: true shard: file } }");
        request.experiment.mutable_train_spec()->set_max_steps(maxSteps);
        request.threads = 1;
        return trainAndEvaluate(request);
    }
    std::string weights() const
    {
        return TrainingFixture::bytes(fixture.modelDir() + "/model.ckpt-12.data-00000-of-00001");
    }

    TrainingFixture fixture;
};

} // namespace

/// Which rows the replicas of an evaluation and of a training get.
class TstSharedRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aStepOfAnEvaluationTakesABatchOfEveryReplica();
    void theLastStepOfAnEvaluationIsNotDropped();
    void anOpenedModelIsEvaluatedInTheSameSteps();
    void replicasReadFilesOfTheirOwn();
    void aResumedTrainingGoesOnInEveryFile();
    void filesHaveToBeAsManyAsBatches();
};

void TstSharedRows::aStepOfAnEvaluationTakesABatchOfEveryReplica()
{
    const auto one = metricsOf(evaluating(1));
    const auto two = metricsOf(evaluating(2));
    QVERIFY(areSame(metricsOf(evaluating(1), kTwoReplicas), two));
    QVERIFY(!areSame(one, two));
    QVERIFY(areSame(metricsOf(evaluating(1), "run_config { eval_distribute { virtual_shards: 2 } "
                                             "}"),
                    two));
}

/// 30 rows are four batches, the last of which is short. Seen in TensorFlow 2.15.1 with 18 rows in
/// batches of 4.
void TstSharedRows::theLastStepOfAnEvaluationIsNotDropped()
{
    const auto all = metricsOf(evaluating(0));
    const std::string threeReplicas =
        "run_config { eval_distribute { central_storage { compute_devices: [\"CPU:0\", \"CPU:1\", "
        "\"CPU:2\"] } } } ";
    for (const int steps : {0, 2}) {
        QVERIFY(areSame(metricsOf(evaluating(steps), threeReplicas), all));
    }
}

void TstSharedRows::anOpenedModelIsEvaluatedInTheSameSteps()
{
    const TrainingFixture fixture;
    TrainRequest request = fixture.request(evaluating(1), kTwoReplicas);
    request.threads = 1;
    const Result<TrainReport> report = trainAndEvaluate(request);
    QVERIFY(report && report->evaluation);
    Result<OpenedModel> model = openModel({.modelDir = fixture.modelDir()});
    QVERIFY(model);
    const Result<EvaluationResult> again = evaluateModel(*model, {});
    QVERIFY(again && areSame(again->metrics, report->evaluation->metrics));
    QCOMPARE(again->rows, 16);
}

void TstSharedRows::replicasReadFilesOfTheirOwn()
{
    FourTables alone;
    FourTables mirrored;
    FourTables byRow;
    QVERIFY(alone.train("strategy { virtual_shards: 4 }"));
    QVERIFY(mirrored.train("strategy { mirrored { devices: [\"CPU:0\", \"CPU:1\", \"CPU:2\", "
                           "\"CPU:3\"] } virtual_shards: 4 }"));
    TrainRequest request =
        byRow.fixture.request(std::string(kFewSteps) + kFourTables +
                                  "eval_spec { steps: 1 } strategy { virtual_shards: 4 }",
                              "train_spec { input { shuffle: true } }");
    request.threads = 1;
    QVERIFY(trainAndEvaluate(request));
    QVERIFY(alone.weights().size() > 100);
    QVERIFY(byRow.weights() != alone.weights());
    const auto step = TrainingFixture::readNewest(mirrored.fixture.modelDir());
    QVERIFY(step && *step == 12);
    // The slots of replicas are beside each other in the file: the losses say whether the bits are
    // equal.
    Result<OpenedModel> left = openModel({.modelDir = alone.fixture.modelDir()});
    Result<OpenedModel> right = openModel({.modelDir = mirrored.fixture.modelDir()});
    QVERIFY(left && right);
    QVERIFY(areSame(evaluateModel(*left, {})->metrics, evaluateModel(*right, {})->metrics));
}

void TstSharedRows::aResumedTrainingGoesOnInEveryFile()
{
    const char* const strategy = "strategy { virtual_shards: 2 }";
    FourTables whole;
    QVERIFY(whole.train(strategy));
    FourTables halves;
    QVERIFY(halves.train(strategy, 7));
    const Result<TrainReport> second = halves.train(strategy);
    QVERIFY(second && second->outcome.startStep == 7);
    QVERIFY(halves.weights() == whole.weights());
}

void TstSharedRows::filesHaveToBeAsManyAsBatches()
{
    FourTables tables;
    const Result<TrainReport> report = tables.train("strategy { virtual_shards: 8 }");
    QVERIFY(!report);
    QCOMPARE(report.error().id, std::string("data.fewer_files_than_shards"));
}

CANNERY_TEST(TstSharedRows)
#include "tst_shared_rows.moc"
