// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/estimators/dual_table.h"
#include "core/estimators/estimator_catalog.h"
#include "core/plan/last_step.h"
#include "core/plan/model.h"
#include "core/plan/model_size.h"
#include "kernels/device/random.h"
#include "tests/core/estimators/own_step_training.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

using namespace cannery;

namespace {

constexpr const char* kFeatureColumns =
    R"(feature_column { name: "x" numeric_column { key: "x" shape: 2 } } )"
    R"(feature_column { name: "c" categorical_column_with_identity { key: "c" num_buckets: 3 } } )"
    R"(feature_column { name: "e" embedding_column { categorical_column: "c" dimension: 2 } } )";

Result<graph::LoweredModel> loweredLinear(const std::string& estimator)
{
    spec::Experiment experiment;
    CANNERY_CHECK(google::protobuf::TextFormat::ParseFromString(
        std::string(kFeatureColumns) + "estimator { " + estimator + " }", &experiment));
    features::InputLayout layout;
    layout.slots = {
        {.kind = features::SlotKind::Ids, .column = "c", .tensorflowName = "c", .width = 3},
        {.kind = features::SlotKind::Dense, .column = "x", .tensorflowName = "x", .width = 2}};
    layout.labelWidth = 1;
    layout.hasExampleIds = true;
    return estimators::lower(experiment, layout);
}

std::string sdca(const std::string& fields)
{
    return "optimizer { linear_sdca { example_id_column: \"id\" " + fields + " } }";
}

std::string regressor(const std::string& fields, const std::string& others = "")
{
    return R"(linear_regressor { feature_columns: "c" feature_columns: "x" )" + sdca(fields) +
           others + " }";
}

std::string classifier(const std::string& fields)
{
    return R"(linear_classifier { feature_columns: "c" feature_columns: "x" )" + sdca(fields) +
           " }";
}

std::unique_ptr<plan::Model> linearModel(const std::string& estimator,
                                         const plan::ModelOptions& options = {.seed = 5})
{
    Result<graph::LoweredModel> model = loweredLinear(estimator);
    CANNERY_CHECK(model.has_value());
    auto made = plan::Model::create(*std::move(model), options);
    CANNERY_CHECK(made.has_value());
    return *std::move(made);
}

/// Rows with two numbers, one or two categories, and a label: about a line, or its sign.
features::EncodedRows someRows(std::int64_t count, bool isClass)
{
    kernels::RandomStream random(11);
    features::EncodedRows rows;
    rows.rowCount = count;
    rows.dense.push_back({.width = 2, .values = {}});
    rows.ids.resize(1);
    rows.ids[0].rowOffsets.push_back(0);
    for (std::int64_t row = 0; row < count; ++row) {
        const auto x = static_cast<float>(random.nextNormal());
        const auto y = static_cast<float>(random.nextNormal());
        rows.dense[0].values.insert(rows.dense[0].values.end(), {x, y});
        const auto id = static_cast<std::int32_t>(random.nextBelow(3));
        rows.ids[0].ids.push_back(id);
        if (row % 5 == 0) {
            rows.ids[0].ids.push_back(static_cast<std::int32_t>(random.nextBelow(4)) - 1);
        }
        rows.ids[0].rowOffsets.push_back(static_cast<std::int64_t>(rows.ids[0].ids.size()));
        const float label =
            2 * x - y + static_cast<float>(id) + 0.5F * static_cast<float>(random.nextNormal());
        rows.labels.push_back(isClass ? (label > 1 ? 1.0F : 0.0F) : label);
        rows.exampleIds.push_back(fingerprint128(std::to_string(row)));
    }
    return rows;
}

void trainSteps(plan::Model& model, const features::EncodedRows& rows, std::int64_t begin,
                std::int64_t end)
{
    for (std::int64_t step = begin; step < end; ++step) {
        VERIFY_OK(trainOnce(model, rows, step));
    }
}

std::map<std::string, std::vector<float>> floatsOf(plan::Model& model)
{
    std::map<std::string, std::vector<float>> all;
    for (const plan::StateTensor& tensor : model.state()) {
        if (tensor.dtype == DType::Float32) {
            const auto* first = reinterpret_cast<const float*>(tensor.bytes.data());
            all[tensor.name].assign(first, first + tensor.bytes.size() / sizeof(float));
        }
    }
    return all;
}

const char* const kBias = "linear/linear_model/bias_weights";
const char* const kX = "linear/linear_model/x/weights";
const char* const kC = "linear/linear_model/c/weights";

float summary(plan::Model& model, const std::string& tag)
{
    for (const plan::ModelSummary& each : model.lastStep().summaries()) {
        if (each.tag == tag) {
            return each.scalar;
        }
    }
    return std::numeric_limits<float>::quiet_NaN();
}

/// d (sum of weight * loss + l2 / 2 |w|^2) / d w, at the model's weights.
std::vector<double> gradientAt(plan::Model& model, const features::EncodedRows& rows, bool isClass,
                               double l2, const std::vector<float>& rowWeights)
{
    auto weights = floatsOf(model);
    std::vector<float> all = weights[kC];
    all.insert(all.end(), weights[kX].begin(), weights[kX].end());
    all.push_back(weights[kBias][0]);
    std::vector<double> gradient(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        gradient[i] = l2 * static_cast<double>(all[i]);
    }
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows.rowCount); ++row) {
        std::vector<double> x(all.size());
        for (auto at = rows.ids[0].rowOffsets[row]; at < rows.ids[0].rowOffsets[row + 1]; ++at) {
            const std::int32_t id = rows.ids[0].ids[static_cast<std::size_t>(at)];
            if (id >= 0) {
                x[static_cast<std::size_t>(id)] += 1;
            }
        }
        x[3] = static_cast<double>(rows.dense[0].values[2 * row]);
        x[4] = static_cast<double>(rows.dense[0].values[2 * row + 1]);
        x[5] = 1;
        double logit = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            logit += x[i] * static_cast<double>(all[i]);
        }
        const double guess = isClass ? 1 / (1 + std::exp(-logit)) : logit;
        const double weight = rowWeights.empty() ? 1.0 : static_cast<double>(rowWeights[row]);
        for (std::size_t i = 0; i < x.size(); ++i) {
            gradient[i] += weight * (guess - static_cast<double>(rows.labels[row])) * x[i];
        }
    }
    return gradient;
}

double largest(const std::vector<double>& values)
{
    double result = 0;
    for (const double value : values) {
        result = std::max(result, std::abs(value));
    }
    return result;
}

} // namespace

class TstSdca : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aStepOnOneRowFollowsTensorFlowsRule();
    void endsAtTheMinimum_data();
    void endsAtTheMinimum();
    void theDualityGapGoesToZero();
    void anL1NormMakesWeightsExactlyZero();
    void weighsRowsAndClasses();
    void countsTheExamplesSeen();
    void hasTensorFlowsState();
    void anyNumberOfThreadsGivesTheSameBits();
    void theNumberOfTablesChangesNothing();
    void aRestoredModelGoesOn();
    void refusesATableThatIsNone();
    void refusesLabelsBetweenTheClasses();
    void aLossThatIsNoNumberChangesNothing();
    void refusesOtherModels_data();
    void refusesOtherModels();
    void refusesReplicas();
    void itsMemoryIsCounted();
    void aTableGrows();
};

void TstSdca::aStepOnOneRowFollowsTensorFlowsRule()
{
    const auto model = linearModel(regressor("symmetric_l2_regularization: 2"));
    features::EncodedRows rows;
    rows.rowCount = 1;
    rows.dense = {{.width = 2, .values = {3, 0}}};
    rows.ids = {{.rowOffsets = {0, 1}, .ids = {1}}};
    rows.labels = {8};
    rows.exampleIds = {fingerprint128("r0")};
    QCOMPARE(*trainOnce(*model, rows, 0), 64.0);
    // |x|^2 = 9 + 1 + 1; dual = 8 / (1 + 11 / 2); w = dual / 2 * x
    const auto state = floatsOf(*model);
    const float dual = static_cast<float>(8 / 6.5);
    QCOMPARE(state.at(kX)[0], dual / 2 * 3);
    QCOMPARE(state.at(kX)[1], 0.0F);
    QCOMPARE(state.at(kC), (std::vector<float>{0, dual / 2, 0}));
    QCOMPARE(state.at(kBias)[0], dual / 2);
}

void TstSdca::endsAtTheMinimum_data()
{
    QTest::addColumn<bool>("isClass");
    QTest::addColumn<QString>("fields");
    QTest::newRow("squares") << false << "";
    QTest::newRow("logistic") << true << "";
    QTest::newRow("squares, adaptive") << false << "adaptive: true";
    QTest::newRow("logistic, adaptive") << true << "adaptive: true";
    QTest::newRow("two partitions") << true << "num_loss_partitions: 2";
}

void TstSdca::endsAtTheMinimum()
{
    QFETCH(bool, isClass);
    QFETCH(QString, fields);
    const std::string options = "symmetric_l2_regularization: 3 " + fields.toStdString();
    const features::EncodedRows rows = someRows(60, isClass);
    const auto model = linearModel(isClass ? classifier(options) : regressor(options));
    trainSteps(*model, rows, 0, 150);
    const double slope = largest(gradientAt(*model, rows, isClass, 3, {}));
    QVERIFY2(slope < 2e-3, qPrintable(QString::number(slope)));
}

void TstSdca::theDualityGapGoesToZero()
{
    const features::EncodedRows rows = someRows(60, true);
    const auto model = linearModel(classifier("symmetric_l2_regularization: 3"));
    trainSteps(*model, rows, 0, 1);
    const float first = summary(*model, "approximate_duality_gap");
    trainSteps(*model, rows, 1, 100);
    const float last = summary(*model, "approximate_duality_gap");
    QVERIFY2(first > 0.1F, qPrintable(QString::number(first)));
    QVERIFY2(std::abs(last) < 1e-5F, qPrintable(QString::number(last)));
}

void TstSdca::anL1NormMakesWeightsExactlyZero()
{
    const features::EncodedRows rows = someRows(60, false);
    const auto model =
        linearModel(regressor("symmetric_l1_regularization: 70 symmetric_l2_regularization: 2"));
    trainSteps(*model, rows, 0, 100);
    const auto state = floatsOf(*model);
    QCOMPARE(state.at(kC)[0], 0.0F);
    QVERIFY(state.at(std::string(kC) + "_unshrunk")[0] != 0.0F);
    const float used = state.at(kX)[0];
    QVERIFY(used > 0);
    // Shrunk by l1 / l2.
    QVERIFY(std::abs(used + 35 - state.at(std::string(kX) + "_unshrunk")[0]) < 1e-4F);
}

void TstSdca::weighsRowsAndClasses()
{
    features::EncodedRows rows = someRows(60, true);
    const auto byClass =
        linearModel(classifier(""), {.seed = 5, .classWeights = {{.id = 1, .weight = 4}}});
    trainSteps(*byClass, rows, 0, 150);
    std::vector<float> weights;
    for (const float label : rows.labels) {
        weights.push_back(label == 1 ? 4.0F : 1.0F);
    }
    QVERIFY(largest(gradientAt(*byClass, rows, true, 1, weights)) < 1e-2);
    rows.weights = weights;
    const auto byRow =
        linearModel(R"(linear_classifier { feature_columns: "c" feature_columns: "x" )"
                    R"(weight_column { feature: "w" } )" +
                    sdca("") + " }");
    trainSteps(*byRow, rows, 0, 150);
    QCOMPARE(floatsOf(*byRow).at(kX), floatsOf(*byClass).at(kX));
}

void TstSdca::countsTheExamplesSeen()
{
    features::EncodedRows rows = someRows(60, false);
    const auto model = linearModel(regressor(""));
    trainSteps(*model, rows, 0, 3);
    QCOMPARE(summary(*model, "examples_seen"), 60.0F);
    std::ranges::fill(rows.exampleIds, fingerprint128("other"));
    trainSteps(*model, rows, 3, 4);
    QCOMPARE(summary(*model, "examples_seen"), 61.0F);
}

void TstSdca::hasTensorFlowsState()
{
    const auto model = linearModel(regressor("num_table_shards: 2"));
    std::vector<std::string> names;
    for (const plan::StateTensor& tensor : model->state()) {
        names.push_back(tensor.name + " " + tensor.shape.toString());
    }
    const std::vector<std::string> expected{"ShardedMutableHashTable-1-of-2-keys [1024, 2]",
                                            "ShardedMutableHashTable-1-of-2-values [1024, 4]",
                                            "ShardedMutableHashTable-2-of-2-keys [1024, 2]",
                                            "ShardedMutableHashTable-2-of-2-values [1024, 4]",
                                            "linear/linear_model/bias_weights [1]",
                                            "linear/linear_model/bias_weights_unshrunk [1]",
                                            "linear/linear_model/c/weights [3, 1]",
                                            "linear/linear_model/c/weights_unshrunk [3, 1]",
                                            "linear/linear_model/x/weights [2, 1]",
                                            "linear/linear_model/x/weights_unshrunk [2, 1]"};
    QCOMPARE(names, expected);
}

void TstSdca::anyNumberOfThreadsGivesTheSameBits()
{
    const features::EncodedRows rows = someRows(500, true);
    for (const char* fields : {"", "adaptive: true"}) {
        const auto one = linearModel(classifier(fields), {.threads = 1, .seed = 5});
        const auto four = linearModel(classifier(fields), {.threads = 4, .seed = 5});
        trainSteps(*one, rows, 0, 4);
        trainSteps(*four, rows, 0, 4);
        QVERIFY(floatsOf(*one) == floatsOf(*four));
        QCOMPARE(summary(*one, "approximate_duality_gap"),
                 summary(*four, "approximate_duality_gap"));
    }
}

void TstSdca::theNumberOfTablesChangesNothing()
{
    const features::EncodedRows rows = someRows(100, true);
    const auto one = linearModel(classifier(""));
    const auto three = linearModel(classifier("num_table_shards: 3"));
    trainSteps(*one, rows, 0, 4);
    trainSteps(*three, rows, 0, 4);
    QCOMPARE(floatsOf(*three).at(kX), floatsOf(*one).at(kX));
    QCOMPARE(summary(*three, "examples_seen"), 100.0F);
}

void TstSdca::aRestoredModelGoesOn()
{
    // More rows than the first table holds.
    const features::EncodedRows rows = someRows(2000, true);
    const auto whole = linearModel(classifier("symmetric_l1_regularization: 0.5"));
    trainSteps(*whole, rows, 0, 2);
    const auto second = linearModel(classifier("symmetric_l1_regularization: 0.5"));
    copyState(*whole, *second);
    QVERIFY(floatsOf(*second) == floatsOf(*whole));
    for (std::int64_t step = 2; step < 5; ++step) {
        QCOMPARE(*trainOnce(*second, rows, step), *trainOnce(*whole, rows, step));
    }
    QVERIFY(floatsOf(*second) == floatsOf(*whole));
    QCOMPARE(summary(*second, "approximate_duality_gap"),
             summary(*whole, "approximate_duality_gap"));
}

void TstSdca::refusesATableThatIsNone()
{
    const auto model = linearModel(regressor(""));
    const auto state = model->state();
    const std::vector<std::int64_t> keys(48);
    const auto bytes = std::as_bytes(std::span(keys));
    VERIFY_ERROR(state[0].restore(Shape{24, 2}, bytes), "estimators.sdca_restore");
    VERIFY_ERROR(state[0].restore(Shape{16, 3}, bytes), "estimators.sdca_restore");
    VERIFY_ERROR(state[1].restore(Shape{24, 4}, bytes), "estimators.sdca_restore");
    // Without a free bucket a search would not end.
    const std::vector<std::int64_t> full(32, 7);
    VERIFY_ERROR(state[0].restore(Shape{16, 2}, std::as_bytes(std::span(full))),
                 "estimators.sdca_restore");
    VERIFY_OK(state[0].restore(Shape{16, 2}, bytes.first(256)));
    QCOMPARE(summary(*model, "examples_seen"), 0.0F);
}

void TstSdca::refusesLabelsBetweenTheClasses()
{
    features::EncodedRows rows = someRows(20, true);
    rows.labels[7] = 0.5F;
    const auto model = linearModel(classifier(""));
    const auto before = floatsOf(*model);
    VERIFY_ERROR(trainOnce(*model, rows, 0), "estimators.sdca_label");
    QVERIFY(floatsOf(*model) == before);
}

void TstSdca::aLossThatIsNoNumberChangesNothing()
{
    features::EncodedRows rows = someRows(20, false);
    rows.dense[0].values[3] = std::numeric_limits<float>::quiet_NaN();
    const auto model = linearModel(regressor(""));
    const auto before = floatsOf(*model);
    QVERIFY(std::isnan(*trainOnce(*model, rows, 0)));
    QVERIFY(floatsOf(*model) == before);
}

void TstSdca::refusesOtherModels_data()
{
    QTest::addColumn<QString>("estimator");
    const QString optimizer = QString::fromStdString(sdca(""));
    QTest::newRow("three classes")
        << R"(linear_classifier { feature_columns: "x" n_classes: 3 )" + optimizer + "}";
    QTest::newRow("two labels")
        << R"(linear_regressor { feature_columns: "x" label_dimension: 2 )" + optimizer + "}";
    QTest::newRow("counts")
        << R"(linear_estimator { feature_columns: "x" head { poisson_regression_head {} } )" +
               optimizer + "}";
    QTest::newRow("an embedding") << R"(linear_classifier { feature_columns: "e" )" + optimizer +
                                         "}";
    QTest::newRow("a network") << R"(dnn_classifier { feature_columns: "x" hidden_units: 2 )" +
                                      optimizer + "}";
}

void TstSdca::refusesOtherModels()
{
    QFETCH(QString, estimator);
    VERIFY_ERROR(loweredLinear(estimator.toStdString()), "estimators.sdca_model");
}

void TstSdca::refusesReplicas()
{
    Result<graph::LoweredModel> model = loweredLinear(regressor(""));
    VERIFY_OK(model);
    VERIFY_ERROR(plan::Model::create(*std::move(model), {.sharding = {.total = 2, .count = 2}}),
                 "plan.learns_alone");
}

void TstSdca::itsMemoryIsCounted()
{
    const Result<graph::LoweredModel> model = loweredLinear(regressor(""));
    VERIFY_OK(model);
    constexpr double kWeights = 6 * sizeof(float);
    QCOMPARE(plan::sizeOf(*model, {.batchSize = 1, .training = false})->gradients, 0.0);
    QCOMPARE(plan::sizeOf(*model, {.batchSize = 1, .training = true})->gradients, 2 * kWeights);
}

void TstSdca::aTableGrows()
{
    estimators::DualTable table;
    for (int i = 0; i < 5000; ++i) {
        table.reserve(1);
        table.add(fingerprint128(std::to_string(i))).dual = static_cast<float>(i);
    }
    QCOMPARE(table.size(), std::int64_t{5000});
    QCOMPARE(table.states().size(), std::size_t{8192});
    for (int i = 0; i < 5000; ++i) {
        QCOMPARE(table.add(fingerprint128(std::to_string(i))).dual, static_cast<float>(i));
    }
    QCOMPARE(table.size(), std::int64_t{5000});
}

CANNERY_TEST(TstSdca)
#include "tst_sdca.moc"
