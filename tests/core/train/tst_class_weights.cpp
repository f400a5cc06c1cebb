// SPDX-License-Identifier: Apache-2.0
#include "core/plan/class_weights.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <cmath>
#include <fstream>

using namespace cannery;
using namespace cannery::tests;
using namespace cannery::train;

namespace {

std::string weighted(const std::string& weights, const std::string& estimator = "")
{
    return "estimator { dnn_linear_combined_classifier { dnn_dropout: 0 " + estimator +
           " } } train_spec { max_steps: 6 input { batch_size: 10 shuffle: false } " + weights +
           " } eval_spec { steps: 0 input { batch_size: 50 } } ";
}

struct Trained
{
    std::vector<double> losses;
    double evaluated = 0; ///< average_loss after the last step
};

/// The tables of the fixture have one more column: `w`, which is 3 where the label is 1, and 0.5
/// elsewhere.
Result<Trained> trained(const std::string& more)
{
    const TrainingFixture fixture;
    for (const char* table : {"train.csv", "eval.csv"}) {
        std::ofstream file(fixture.path(table));
        file << "x,c,label,w\n";
        for (int row = 0; row < 100; ++row) {
            const int mixed = (row * 7919 + 13) % 101;
            file << mixed / 10.0 << ',' << "abd"[row % 3] << ',' << (mixed > 50 ? 1 : 0) << ','
                 << (mixed > 50 ? 3 : 0.5) << '\n';
        }
    }
    RecordingObserver observer;
    TrainRequest request = fixture.request(more);
    request.observer = &observer;
    CANNERY_TRY_ASSIGN(const TrainReport report, trainAndEvaluate(request));
    Trained result{.losses = observer.losses};
    for (const metrics::MetricValue& metric : report.evaluation->metrics) {
        result.evaluated = metric.name == "average_loss" ? metric.value : result.evaluated;
    }
    return result;
}

constexpr const char* kBoth =
    "class_weight { label: \"1\" weight: 3 } class_weight { label: \"0\" weight: 0.5 }";

} // namespace

class TstClassWeights : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void trainAsAColumnOfTheSameWeightsDoes();
    void multiplyTheWeightsOfRows();
    void evaluationsDoNotKnowThem();
    void aLabelBetweenTwoClassesHasWeightsOfBoth();
    void sameBitsOnAnyNumberOfThreads();
};

void TstClassWeights::trainAsAColumnOfTheSameWeightsDoes()
{
    const auto byClass = trained(weighted(kBoth));
    const auto byRow = trained(weighted("", "weight_column { feature: \"w\" }"));
    const auto plain = trained(weighted(""));
    VERIFY_OK(byClass);
    VERIFY_OK(byRow);
    VERIFY_OK(plain);
    QCOMPARE(byClass->losses.size(), std::size_t(6));
    QCOMPARE(byClass->losses, byRow->losses);
    QVERIFY(byClass->losses != plain->losses);
}

void TstClassWeights::multiplyTheWeightsOfRows()
{
    const auto product =
        trained(weighted("class_weight { label: \"1\" weight: 2 } class_weight { label: \"0\" "
                         "weight: 2 }",
                         "weight_column { feature: \"w\" }"));
    const auto byRow = trained(weighted("", "weight_column { feature: \"w\" }"));
    VERIFY_OK(product);
    VERIFY_OK(byRow);
    QVERIFY(std::abs(product->losses.front() - 2 * byRow->losses.front()) <
            1e-6 * byRow->losses.front());
}

/// A model that does not move is evaluated alike.
void TstClassWeights::evaluationsDoNotKnowThem()
{
    const std::string still = "dnn_optimizer { sgd { learning_rate: 0 } } linear_optimizer { sgd { "
                              "learning_rate: 0 } }";
    const auto with = trained(weighted(kBoth, still));
    const auto without = trained(weighted("", still));
    VERIFY_OK(with);
    VERIFY_OK(without);
    QCOMPARE(with->evaluated, without->evaluated);
    QVERIFY(with->losses != without->losses);
}

void TstClassWeights::aLabelBetweenTwoClassesHasWeightsOfBoth()
{
    features::EncodedRows batch{.rowCount = 4, .labels = {0, 1, 0.25F, 2}};
    const std::vector<plan::ClassWeight> classes{{.id = 1, .weight = 5}, {.id = 0, .weight = 3}};
    std::vector<float> weights;
    plan::weighByClass(batch, classes, weights);
    QCOMPARE(weights, (std::vector<float>{3, 5, 3.5F, 1}));
    batch.weights = {2, 0, 2, 4};
    plan::weighByClass(batch, classes, weights);
    QCOMPARE(weights, (std::vector<float>{6, 0, 7, 4}));
}

void TstClassWeights::sameBitsOnAnyNumberOfThreads()
{
    TrainingFixture first;
    TrainingFixture other;
    VERIFY_OK(first.train(weighted(kBoth)));
    VERIFY_OK(other.train(weighted(kBoth), 5));
    const std::string file = "/model.ckpt-6.data-00000-of-00001";
    QVERIFY(!TrainingFixture::bytes(first.modelDir() + file).empty());
    QVERIFY(TrainingFixture::bytes(first.modelDir() + file) ==
            TrainingFixture::bytes(other.modelDir() + file));
}

CANNERY_TEST(TstClassWeights)
#include "tst_class_weights.moc"
