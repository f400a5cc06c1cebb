// SPDX-License-Identifier: Apache-2.0
#include "core/plan/inference.h"
#include "tests/core/plan/toy_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <cstring>

using namespace cannery;
using namespace cannery::tests;

class TstModelDeterminism : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesTheSameBitsForAnyNumberOfThreads_data();
    void givesTheSameBitsForAnyNumberOfThreads();
    void passingInPartsGivesTheSameBits_data();
    void passingInPartsGivesTheSameBits();
    void goesOnFromItsStateInTheSameBits_data();
    void goesOnFromItsStateInTheSameBits();
    void takesLargerBatchesThanPlanned();
    void dropsOtherUnitsInOtherSteps();
    void skippingUnseenRowsGivesTheSameBits();
};

namespace {

void addEstimators()
{
    QTest::addColumn<int>("index");
    for (std::size_t index = 0; index < toyEstimators().size(); ++index) {
        QTest::newRow(toyEstimators()[index].name) << static_cast<int>(index);
    }
}

#ifdef __SANITIZE_THREAD__
constexpr int kSteps = 2; // races show at once
constexpr int kMostThreads = 4;
#else
constexpr int kSteps = 6;
constexpr int kMostThreads = 7;
#endif

/// State after some steps on batches large enough to be split into blocks.
std::vector<std::byte> trained(const std::string& estimator, int threads)
{
    auto made = toyModel(estimator, {.maxBatchSize = 700, .threads = threads, .seed = 5});
    CANNERY_CHECK(made.has_value());
    for (int step = 0; step < kSteps; ++step) {
        (*made)->train(toyRows(700, static_cast<std::uint64_t>(step)), step);
    }
    return allState(**made);
}

} // namespace

void TstModelDeterminism::givesTheSameBitsForAnyNumberOfThreads_data()
{
    addEstimators();
}

void TstModelDeterminism::givesTheSameBitsForAnyNumberOfThreads()
{
    QFETCH(int, index);
    const std::string text = toyEstimators()[static_cast<std::size_t>(index)].text;
    const std::vector<std::byte> one = trained(text, 1);
    QVERIFY(trained(text, 1) == one);
    QVERIFY(trained(text, 2) == one);
    QVERIFY(trained(text, kMostThreads) == one);
}

void TstModelDeterminism::passingInPartsGivesTheSameBits_data()
{
    QTest::addColumn<QString>("options");
    QTest::newRow("relu") << "optimizer { adagrad {} }";
    QTest::newRow("dropout, and an activation that needs its input")
        << "activation_fn: swish dropout: 0.3 optimizer { adam {} }";
    QTest::newRow("clipped") << "optimizer { sgd { learning_rate: 0.1 } global_clipnorm: 0.5 }";
}

/// Layers wide enough for a batch to pass through all of them in parts, on several threads at once.
void TstModelDeterminism::passingInPartsGivesTheSameBits()
{
    QFETCH(QString, options);
    const std::string text =
        "dnn_classifier { feature_columns: ['x', 'one_hot', 'heavy_hot', 'one_table', "
        "'many_table', 'heavy_table'] hidden_units: [64, 48] " +
        options.toStdString() + " }";
    const std::vector<std::byte> one = trained(text, 1);
    QVERIFY(trained(text, 2) == one);
    QVERIFY(trained(text, kMostThreads) == one);
    QVERIFY(trained(text, 40) == one);
}

void TstModelDeterminism::goesOnFromItsStateInTheSameBits_data()
{
    addEstimators();
}

void TstModelDeterminism::goesOnFromItsStateInTheSameBits()
{
    QFETCH(int, index);
    const std::string text = toyEstimators()[static_cast<std::size_t>(index)].text;
    const auto whole = toyModel(text, {.seed = 5});
    const auto resumed = toyModel(text, {.seed = 5});
    VERIFY_OK(whole);
    VERIFY_OK(resumed);
    const auto rows = [](int step) { return toyRows(32, static_cast<std::uint64_t>(step)); };
    for (int step = 0; step < 4; ++step) {
        (*whole)->train(rows(step), step);
    }
    const auto from = (*whole)->state();
    const auto to = (*resumed)->state();
    for (std::size_t tensor = 0; tensor < from.size(); ++tensor) {
        std::memcpy(to[tensor].bytes.data(), from[tensor].bytes.data(), from[tensor].bytes.size());
    }
    for (int step = 4; step < 8; ++step) {
        QCOMPARE((*resumed)->train(rows(step), step), (*whole)->train(rows(step), step));
    }
    QVERIFY(allState(**resumed) == allState(**whole));
}

void TstModelDeterminism::takesLargerBatchesThanPlanned()
{
    const std::string text = toyEstimators()[3].text;
    const auto small = toyModel(text, {.maxBatchSize = 4});
    const auto large = toyModel(text, {.maxBatchSize = 64});
    VERIFY_OK(small);
    VERIFY_OK(large);
    for (int step = 0; step < 3; ++step) {
        const features::EncodedRows rows =
            toyRows(16 * (step + 1), static_cast<std::uint64_t>(step));
        QCOMPARE((*small)->train(rows, step), (*large)->train(rows, step));
    }
    QVERIFY(allState(**small) == allState(**large));
}

void TstModelDeterminism::dropsOtherUnitsInOtherSteps()
{
    const auto made = toyModel(toyEstimators()[4].text);
    VERIFY_OK(made);
    const features::EncodedRows rows = toyRows(16, 1);
    const double first = (*made)->computeGradients(rows, 1);
    QCOMPARE((*made)->computeGradients(rows, 1), first);
    QVERIFY((*made)->computeGradients(rows, 2) != first);
    (*made)->inference().forward(rows, layers::Mode::Evaluate);
    const float logit = (*made)->inference().logits().row(0)[0];
    (*made)->inference().forward(rows, layers::Mode::Predict);
    QCOMPARE((*made)->inference().logits().row(0)[0], logit);
}

void TstModelDeterminism::skippingUnseenRowsGivesTheSameBits()
{
    // A clip value that is never reached makes the plan keep whole gradients.
    for (const std::string optimizer : {"adagrad { learning_rate: 0.1 }", "sgd {}"}) {
        const auto estimator = [&](const std::string& clipping) {
            return "dnn_classifier { feature_columns: ['x', 'one_hot', 'heavy_hot'] hidden_units: "
                   "[8] optimizer { " +
                   optimizer + clipping + " } }";
        };
        const auto skipping = toyModel(estimator(""));
        const auto whole = toyModel(estimator(" clipvalue: 1e30"));
        VERIFY_OK(skipping);
        VERIFY_OK(whole);
        for (int step = 0; step < 5; ++step) {
            const features::EncodedRows rows = toyRows(10, static_cast<std::uint64_t>(step));
            QCOMPARE((*skipping)->train(rows, step), (*whole)->train(rows, step));
        }
        QVERIFY(allState(**skipping) == allState(**whole));
    }
}

CANNERY_TEST(TstModelDeterminism)
#include "tst_model_determinism.moc"
