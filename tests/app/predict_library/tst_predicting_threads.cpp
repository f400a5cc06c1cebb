// SPDX-License-Identifier: Apache-2.0
#include "tests/app/predict_library/model_calls.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <atomic>
#include <thread>
#include <vector>

using namespace cannery;
using namespace cannery::tests;

/// One model handle, many threads. Also runs under ThreadSanitizer.
class TstPredictingThreads : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eightThreadsGetTheBitsOfOne_data();
    void eightThreadsGetTheBitsOfOne();
    void errorsBelongToTheirThread();

private:
    static constexpr int kRows = 300;
    TrainingFixture m_fixture;
};

void TstPredictingThreads::eightThreadsGetTheBitsOfOne_data()
{
    QTest::addColumn<std::string>("estimator");
    QTest::newRow("wide and deep")
        << std::string("estimator { dnn_linear_combined_classifier {} }");
    QTest::newRow("trees") << std::string(
        "estimator { boosted_trees_classifier { feature_columns: [\"x_buckets\", \"c\"] "
        "n_batches_per_layer: 1 n_trees: 5 } } feature_column { name: \"x_buckets\" "
        "bucketized_column { source_column: \"x_raw\" boundaries: [2, 5, 8] } } "
        "feature_column { name: \"x_raw\" numeric_column { key: \"x\" } }");
}

void TstPredictingThreads::eightThreadsGetTheBitsOfOne()
{
    QFETCH(std::string, estimator);
    const TrainingFixture fixture;
    train::TrainRequest request = fixture.request(estimator + " train_spec { max_steps: 12 }");
    VERIFY_OK(train::trainAndEvaluate(request));
    auto opened = train::openModel({.modelDir = fixture.modelDir(), .threads = 1});
    VERIFY_OK(opened);
    const auto expected = expectedBits(*opened, kRows);
    QCOMPARE(expected.size(), std::size_t{kRows});

    const ModelHandle model = openHandle(fixture.modelDir());
    QVERIFY2(model != nullptr, cannery_error_message());
    std::atomic<int> same{0};
    const auto work = [&](int first) {
        // Requests are made, used and freed at the same time as others.
        const RequestHandle ofThread = requestOf(model);
        for (int i = 0; ofThread != nullptr && i < kRows; ++i) {
            const int row = (first + i) % kRows;
            if (setRow(model, ofThread.get(), tableRow(row)) == CANNERY_OK &&
                cannery_request_predict(ofThread.get()) == CANNERY_OK &&
                bitsOf(model, ofThread.get()) == expected[static_cast<std::size_t>(row)]) {
                ++same;
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 8; ++thread) {
            threads.emplace_back(work, thread * 37);
        }
    }
    QCOMPARE(same.load(), 8 * kRows);
}

void TstPredictingThreads::errorsBelongToTheirThread()
{
    QVERIFY(openHandle(m_fixture.path("nowhere")) == nullptr);
    const std::string mine = cannery_error_message();
    std::string other;
    {
        const std::jthread thread([&] {
            other = cannery_error_message();
            cannery_request_predict(nullptr);
            other += cannery_error_id();
        });
    }
    QCOMPARE(other, std::string("predict.null"));
    QCOMPARE(std::string(cannery_error_message()), mine);
    QVERIFY2(mine.find("nowhere") != std::string::npos, mine.c_str());
}

CANNERY_TEST(TstPredictingThreads)
#include "tst_predicting_threads.moc"
