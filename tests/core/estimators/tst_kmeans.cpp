// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/estimators/estimator_catalog.h"
#include "core/plan/inference.h"
#include "core/plan/model.h"
#include "kernels/device/random.h"
#include "tests/core/estimators/own_step_training.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <array>
#include <cmath>

using namespace cannery;

namespace {

constexpr const char* kGiven = "initial_clusters { given { value: [0, 0, 10, 10] } }";

Result<graph::LoweredModel> lowered(const std::string& fields)
{
    spec::Experiment experiment;
    const std::string text = R"(feature_column { name: "x" numeric_column { key: "x" shape: 2 } } )"
                             R"(estimator { kmeans { feature_columns: "x" )" +
                             fields + " } }";
    CANNERY_CHECK(google::protobuf::TextFormat::ParseFromString(text, &experiment));
    features::InputLayout layout;
    layout.slots = {
        {.kind = features::SlotKind::Dense, .column = "x", .tensorflowName = "x", .width = 2}};
    return estimators::lower(experiment, layout);
}

std::unique_ptr<plan::Model> modelOf(const std::string& fields, int threads = 1)
{
    Result<graph::LoweredModel> model = lowered(fields);
    CANNERY_CHECK(model.has_value());
    auto made = plan::Model::create(*std::move(model), {.threads = threads, .seed = 5});
    CANNERY_CHECK(made.has_value());
    return *std::move(made);
}

features::EncodedRows rowsOf(std::vector<float> values)
{
    features::EncodedRows rows;
    rows.rowCount = static_cast<std::int64_t>(values.size()) / 2;
    rows.dense.push_back({.width = 2, .values = std::move(values)});
    return rows;
}

/// Around (0, 0), (8, 0), (0, 8) and so on.
features::EncodedRows groups(std::int64_t rows, std::int64_t count)
{
    kernels::RandomStream random(3);
    std::vector<float> values;
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto group = static_cast<float>(row % count);
        values.push_back(8 * group + static_cast<float>(random.nextNormal()) * 0.2F);
        values.push_back(8 * std::fmod(group * 5, 7.0F) +
                         static_cast<float>(random.nextNormal()) * 0.2F);
    }
    return rowsOf(std::move(values));
}

std::vector<float> floats(plan::Model& model, const std::string& name)
{
    for (const plan::StateTensor& tensor : model.state()) {
        if (tensor.name == name) {
            const auto* first = reinterpret_cast<const float*>(tensor.bytes.data());
            return {first, first + tensor.bytes.size() / sizeof(float)};
        }
    }
    return {};
}

std::vector<std::string> names(plan::Model& model)
{
    std::vector<std::string> all;
    for (const plan::StateTensor& tensor : model.state()) {
        all.push_back(tensor.name + " " + tensor.shape.toString());
    }
    return all;
}

const features::EncodedRows& fourRows()
{
    static const features::EncodedRows rows = rowsOf({1, 0, 3, 0, 9, 10, 11, 12});
    return rows;
}

} // namespace

class TstKmeans : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aFullBatchMovesCentersToTheMeans();
    void aMiniBatchMovesCentersByTheirCounts();
    void anIterationOfSeveralStepsMovesCentersAtItsEnd();
    void aCenterWithoutRowsOfAFullBatchIsAtTheOrigin();
    void theCosineIgnoresLengths();
    void hasNoCentersBeforeTheFirstStep();
    void startsAtRowsOfTheFirstBatch_data();
    void startsAtRowsOfTheFirstBatch();
    void kMeansPlusPlusFindsSeparateGroups();
    void refusesAFirstBatchWithFewerRowsThanClusters();
    void refusesCentersOfAnotherWidth();
    void anyNumberOfThreadsGivesTheSameBits();
    void aRestoredModelGoesOn();
    void refusesCentersOfAnotherCheckpoint();
    void endsWhenTheLossHardlyChanges();
    void predictsDistancesAndTheNearestCenter();
    void refusesReplicas();
};

void TstKmeans::aFullBatchMovesCentersToTheMeans()
{
    const auto model = modelOf(std::string("num_clusters: 2 use_mini_batch: false ") + kGiven);
    QCOMPARE(*trainOnce(*model, fourRows(), 0), 1.0 + 9.0 + 1.0 + 5.0);
    const std::vector<float> centers = floats(*model, "clusters");
    QCOMPARE(centers.size(), 4U);
    // TensorFlow divides by the count and 1e-6.
    QVERIFY(std::abs(centers[0] - 2.0F) < 2e-6F && centers[1] == 0.0F);
    QVERIFY(std::abs(centers[2] - 10.0F) < 1e-5F && std::abs(centers[3] - 11.0F) < 1e-5F);
    QVERIFY(*trainOnce(*model, fourRows(), 1) < 6.001);
}

void TstKmeans::aMiniBatchMovesCentersByTheirCounts()
{
    const auto model = modelOf(std::string("num_clusters: 2 ") + kGiven);
    VERIFY_OK(trainOnce(*model, fourRows(), 0));
    // c += (sum - 2 c) / (1 + 2)
    QCOMPARE(floats(*model, "clusters"),
             (std::vector<float>{4.0F / 3, 0, 10, static_cast<float>(10 + 2.0 / 3)}));
    VERIFY_OK(trainOnce(*model, fourRows(), 1));
    // c += (sum - 2 c) / (3 + 2)
    const float first = static_cast<float>(4.0 / 3);
    QVERIFY(std::abs(floats(*model, "clusters")[0] - (first + (4 - 2 * first) / 5)) < 1e-6F);
}

void TstKmeans::anIterationOfSeveralStepsMovesCentersAtItsEnd()
{
    const auto model =
        modelOf(std::string("num_clusters: 2 mini_batch_steps_per_iteration: 2 ") + kGiven);
    QCOMPARE(names(*model),
             (std::vector<std::string>{"Variable [2]", "clusters [0]", "clusters_updated [0]",
                                       "initialized []", "update_in_steps []"}));
    VERIFY_OK(trainOnce(*model, fourRows(), 0));
    VERIFY_OK(trainOnce(*model, fourRows(), 1));
    QCOMPARE(floats(*model, "clusters"), (std::vector<float>{0, 0, 10, 10}));
    // The counts of an iteration begin at 0.
    QCOMPARE(floats(*model, "clusters_updated"), (std::vector<float>{2, 0, 10, 11}));
    VERIFY_OK(trainOnce(*model, fourRows(), 2));
    QCOMPARE(floats(*model, "clusters"), (std::vector<float>{2, 0, 10, 11}));
}

void TstKmeans::aCenterWithoutRowsOfAFullBatchIsAtTheOrigin()
{
    const auto model = modelOf("num_clusters: 2 use_mini_batch: false initial_clusters { given { "
                               "value: [1, 1, 99, 99] } }");
    VERIFY_OK(trainOnce(*model, fourRows(), 0));
    const std::vector<float> centers = floats(*model, "clusters");
    QCOMPARE(centers[2], 0.0F);
    QCOMPARE(centers[3], 0.0F);
}

void TstKmeans::theCosineIgnoresLengths()
{
    const auto model = modelOf("num_clusters: 2 use_mini_batch: false distance_metric: cosine "
                               "initial_clusters { given { value: [5, 0, 0, 7] } }");
    const features::EncodedRows rows = rowsOf({1, 0, 300, 0, 0, 2, 0, 0.5F});
    QVERIFY(std::abs(*trainOnce(*model, rows, 0)) < 1e-6);
    const std::vector<float> centers = floats(*model, "clusters");
    QVERIFY(std::abs(centers[0] - 1) < 1e-6F && std::abs(centers[3] - 1) < 1e-6F);
}

void TstKmeans::hasNoCentersBeforeTheFirstStep()
{
    const auto model = modelOf("num_clusters: 3");
    QCOMPARE(names(*model),
             (std::vector<std::string>{"Variable [3]", "clusters [0]", "initialized []"}));
    VERIFY_OK(trainOnce(*model, groups(30, 3), 0));
    QCOMPARE(names(*model),
             (std::vector<std::string>{"Variable [3]", "clusters [3, 2]", "initialized []"}));
}

void TstKmeans::startsAtRowsOfTheFirstBatch_data()
{
    QTest::addColumn<QString>("fields");
    QTest::newRow("random") << "initial_clusters { random {} }";
    QTest::newRow("by default") << "";
    QTest::newRow("k-means++") << "initial_clusters { kmeans_plus_plus {} }";
}

void TstKmeans::startsAtRowsOfTheFirstBatch()
{
    QFETCH(QString, fields);
    // The centers are copied to clusters_updated, and stay in the first iteration.
    const std::string all =
        "num_clusters: 3 mini_batch_steps_per_iteration: 9 " + fields.toStdString();
    const features::EncodedRows rows = groups(40, 4);
    const auto model = modelOf(all);
    VERIFY_OK(trainOnce(*model, rows, 0));
    const std::vector<float> centers = floats(*model, "clusters");
    const std::vector<float>& values = rows.dense.front().values;
    for (std::size_t center = 0; center < 3; ++center) {
        bool isRow = false;
        for (std::size_t row = 0; row < 40; ++row) {
            isRow = isRow || (values[2 * row] == centers[2 * center] &&
                              values[2 * row + 1] == centers[2 * center + 1]);
        }
        QVERIFY(isRow);
    }
    const auto sameSeed = modelOf(all);
    VERIFY_OK(trainOnce(*sameSeed, rows, 0));
    QCOMPARE(floats(*sameSeed, "clusters"), centers);
    const auto otherSeed = modelOf(all + " seed: 77");
    VERIFY_OK(trainOnce(*otherSeed, rows, 0));
    QVERIFY(floats(*otherSeed, "clusters") != centers);
}

void TstKmeans::kMeansPlusPlusFindsSeparateGroups()
{
    const features::EncodedRows rows = groups(700, 7);
    for (int seed = 0; seed < 10; ++seed) {
        const auto model =
            modelOf("num_clusters: 7 use_mini_batch: false initial_clusters { kmeans_plus_plus {} }"
                    " seed: " +
                    std::to_string(seed));
        VERIFY_OK(trainOnce(*model, rows, 0));
        const Result<double> loss = trainOnce(*model, rows, 1);
        VERIFY_OK(loss);
        // 700 rows with a variance of 0.04 along each axis
        QVERIFY2(*loss < 100, qPrintable(QString::number(*loss)));
    }
}

void TstKmeans::refusesAFirstBatchWithFewerRowsThanClusters()
{
    const auto model = modelOf("num_clusters: 5");
    const Result<double> loss = trainOnce(*model, fourRows(), 0);
    VERIFY_ERROR(loss, "estimators.kmeans_rows");
    QCOMPARE(names(*model)[1], std::string("clusters [0]"));
}

void TstKmeans::refusesCentersOfAnotherWidth()
{
    VERIFY_ERROR(
        lowered("num_clusters: 2 initial_clusters { given { value: [1, 2, 3, 4, 5, 6] } }"),
        "estimators.kmeans_centers");
}

void TstKmeans::anyNumberOfThreadsGivesTheSameBits()
{
    const features::EncodedRows rows = groups(5000, 6);
    for (const char* fields :
         {"use_mini_batch: false initial_clusters { kmeans_plus_plus {} }",
          "distance_metric: cosine", "mini_batch_steps_per_iteration: 2 distance_metric: cosine"}) {
        std::vector<std::vector<float>> centers;
        std::vector<double> losses;
        for (const int threads : {1, 2, 5}) {
            const auto model = modelOf(std::string("num_clusters: 9 ") + fields, threads);
            for (std::int64_t step = 0; step < 4; ++step) {
                losses.push_back(*trainOnce(*model, rows, step));
            }
            centers.push_back(floats(*model, "clusters"));
        }
        QVERIFY(centers[0] == centers[1] && centers[0] == centers[2]);
        for (std::size_t step = 0; step < 4; ++step) {
            QVERIFY(losses[step] == losses[step + 4] && losses[step] == losses[step + 8]);
        }
    }
}

void TstKmeans::aRestoredModelGoesOn()
{
    const features::EncodedRows rows = groups(100, 6);
    const std::string fields = "num_clusters: 6 mini_batch_steps_per_iteration: 3";
    const auto whole = modelOf(fields);
    const auto first = modelOf(fields);
    for (std::int64_t step = 0; step < 4; ++step) {
        VERIFY_OK(trainOnce(*whole, rows, step));
        VERIFY_OK(trainOnce(*first, rows, step));
    }
    const auto second = modelOf(fields);
    copyState(*first, *second);
    for (std::int64_t step = 4; step < 10; ++step) {
        QCOMPARE(*trainOnce(*second, rows, step), *trainOnce(*whole, rows, step));
    }
    QCOMPARE(floats(*second, "clusters_updated"), floats(*whole, "clusters_updated"));
}

void TstKmeans::refusesCentersOfAnotherCheckpoint()
{
    const auto model = modelOf("num_clusters: 3");
    const auto state = model->state();
    const std::vector<float> other(8);
    VERIFY_ERROR(state[1].restore(Shape{4, 2}, std::as_bytes(std::span(other))),
                 "estimators.kmeans_restore");
}

void TstKmeans::endsWhenTheLossHardlyChanges()
{
    const features::EncodedRows rows = groups(60, 3);
    const auto model = modelOf("num_clusters: 3 use_mini_batch: false relative_tolerance: 0.001 "
                               "initial_clusters { kmeans_plus_plus {} }");
    VERIFY_OK(trainOnce(*model, rows, 0));
    QVERIFY(!model->trainingEnd().has_value());
    for (std::int64_t step = 1; step < 20; ++step) {
        VERIFY_OK(trainOnce(*model, rows, step));
    }
    QVERIFY(model->trainingEnd().has_value());
    const auto without = modelOf("num_clusters: 3 use_mini_batch: false");
    for (std::int64_t step = 0; step < 20; ++step) {
        VERIFY_OK(trainOnce(*without, rows, step));
    }
    QVERIFY(!without->trainingEnd().has_value());
}

void TstKmeans::predictsDistancesAndTheNearestCenter()
{
    const auto model =
        modelOf(std::string("num_clusters: 2 mini_batch_steps_per_iteration: 9 ") + kGiven);
    VERIFY_OK(trainOnce(*model, fourRows(), 0));
    std::vector<heads::Prediction> predictions;
    model->inference().predict(fourRows(), predictions);
    QCOMPARE(predictions.size(), 2U);
    QCOMPARE(predictions[0].key, std::string("all_distances"));
    QCOMPARE(predictions[0].floats, (std::vector<float>{1, 181, 9, 149, 181, 1, 265, 5}));
    QCOMPARE(predictions[1].key, std::string("cluster_index"));
    QCOMPARE(predictions[1].integers, (std::vector<std::int64_t>{0, 0, 1, 1}));
}

void TstKmeans::refusesReplicas()
{
    Result<graph::LoweredModel> model = lowered("num_clusters: 2");
    VERIFY_OK(model);
    VERIFY_ERROR(plan::Model::create(*std::move(model), {.sharding = {.total = 2, .count = 2}}),
                 "plan.learns_alone");
}

CANNERY_TEST(TstKmeans)
#include "tst_kmeans.moc"
