// SPDX-License-Identifier: Apache-2.0
#include "tests/core/heads/head_case.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <cmath>
#include <map>

using namespace cannery;
using namespace cannery::tests;
using heads::Head;

class TstHeads : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void lossesAndPredictionsAreTensorFlows_data() { addHeadRows(); }
    void lossesAndPredictionsAreTensorFlows();
    void metricsAreTensorFlows_data();
    void metricsAreTensorFlows();
    void multiHeadMixesLossesGradientsAndMetrics();
    void multiHeadsHessianHasABlockForEachHead();
    void refusesWhatTensorFlowRefuses();
    void aScaledRegressionLearnsInUnitsOfItsScale();
    void aScaleThatIsNoneIsRefused();
    void baselinesStandBesideTensorFlowsMetrics();
    void catalogHasEveryHeadOfTheSchema();
};

namespace {

void comparePrediction(const heads::Prediction& prediction, const QJsonValue& expected)
{
    std::size_t i = 0;
    QVERIFY(!expected.toArray().isEmpty());
    for (const QJsonValue row : expected.toArray()) {
        QCOMPARE(std::int64_t(row.toArray().size()), prediction.width);
        for (const QJsonValue value : row.toArray()) {
            if (prediction.dtype == DType::String) {
                QCOMPARE(std::string(prediction.strings[i]), value.toString().toStdString());
            } else if (prediction.dtype == DType::Float32) {
                VERIFY_NEAR(double(prediction.floats[i]), numberOf(value), 1e-6, 1e-7);
            } else {
                QCOMPARE(prediction.integers[i], std::int64_t(value.toInteger()));
            }
            ++i;
        }
    }
    QCOMPARE(prediction.strings.size() + prediction.floats.size() + prediction.integers.size(), i);
}

} // namespace

void TstHeads::lossesAndPredictionsAreTensorFlows()
{
    QFETCH(QJsonObject, row);
    const HeadCase data = headCaseOf(row);
    kernels::ThreadPool pool;
    for (const auto reduction :
         {spec::LossReduction::SUM, spec::LossReduction::SUM_OVER_BATCH_SIZE}) {
        const auto made = heads::makeHead(headMessage(row["head"].toObject(), reduction));
        VERIFY_OK(made);
        Head& head = **made;
        QCOMPARE(head.logitsWidth(), data.logits.width);
        const QJsonValue expected =
            row["losses"][QString::fromStdString(spec::LossReduction::Kind_Name(reduction))];
        if (expected.isObject()) {
            // The encoder rejects such labels when it reads them: TstFeatureEncoder::labels.
            const QString refusal = expected["error"]["message"].toString();
            QVERIFY2(refusal.startsWith("Labels must be "), qPrintable(refusal));
        } else {
            QVERIFY(expected.isDouble() || expected.isString());
            double regularization = 0.0;
            for (const QJsonValue loss : row["regularization_losses"].toArray()) {
                regularization += loss.toDouble();
            }
            VERIFY_NEAR(head.loss(pool, data.batch(), {}) + regularization, numberOf(expected),
                        1e-6, 1e-7);
        }
        std::vector<heads::Prediction> predictions;
        for (int time = 0; time < 2; ++time) {
            head.predict(pool, data.logits.view(), data.logits.view().rows, predictions);
            const QJsonObject all = row["predictions"].toObject();
            QCOMPARE(int(predictions.size()), all.size());
            for (const heads::Prediction& prediction : predictions) {
                const QString key = QString::fromStdString(prediction.key);
                QVERIFY2(all.contains(key), qPrintable(key));
                comparePrediction(prediction, all[key]);
            }
        }
    }
}

void TstHeads::metricsAreTensorFlows_data()
{
    QTest::addColumn<QJsonObject>("row");
    for (const QJsonValue value : goldenTable("metrics")["heads"].toArray()) {
        QTest::newRow(
            qPrintable(value["head"]["class"].toString() + " " + value["head"]["name"].toString()))
            << value.toObject();
    }
}

void TstHeads::metricsAreTensorFlows()
{
    QFETCH(QJsonObject, row);
    const auto made =
        heads::makeHead(headMessage(row["head"].toObject(), spec::LossReduction::SUM));
    VERIFY_OK(made);
    Head& head = **made;
    kernels::ThreadPool pool;
    const auto metrics = head.createMetrics();
    double lossSum = 0.0;
    const QJsonArray batches = row["batches"].toArray();
    QVERIFY(!batches.isEmpty());
    for (const QJsonValue batch : batches) {
        HeadCase data{.logits = numbersOfRows(batch["logits"]),
                      .labels = numbersOfRows(batch["labels"]),
                      .weights = {}};
        if (head.weightWidth() > 0) {
            data.weights = numbersOfRows(batch["weights"]);
        }
        lossSum += head.evaluate(pool, data.batch(), *metrics);
    }
    QJsonObject expected = row["metrics"].toObject();
    expected["loss"] = lossSum / double(batches.size());
    QStringList names;
    for (const metrics::MetricValue& metric : metrics->results()) {
        const QString name = QString::fromStdString(metric.name);
        names << name;
        QVERIFY2(expected.contains(name), qPrintable(name));
        VERIFY_NEAR(metric.value, numberOf(expected[name]), 1e-5, 1e-5);
    }
    QCOMPARE(names, expected.keys());
}

void TstHeads::multiHeadMixesLossesGradientsAndMetrics()
{
    const QJsonArray parts{
        QJsonObject{{"class", "RegressionHead"}, {"name", "a"}, {"label_dimension", 2}},
        QJsonObject{{"class", "BinaryClassHead"}, {"name", "b"}, {"weight_column", "w"}}};
    const QJsonObject description{
        {"class", "MultiHead"}, {"heads", parts}, {"head_weights", QJsonArray{2.0, 0.5}}};
    const auto made = heads::makeHead(headMessage(description, spec::LossReduction::SUM));
    VERIFY_OK(made);
    Head& head = **made;
    QCOMPARE(head.name(), std::string("a_b"));
    QCOMPARE(head.trainingScope(), std::string("training_2"));
    QCOMPARE(head.logitsWidth(), 3);
    QCOMPARE(head.labelWidth(), 3);
    QCOMPARE(head.weightWidth(), 1);
    const HeadCase data{.logits = {{1, 2, 0, 3, 5, 0}, 3},
                        .labels = {{1, 0, 1, 4, 5, 0}, 3},
                        .weights = {{1, 3}, 1}};
    kernels::ThreadPool pool;
    std::vector<float> grad(6);
    const double loss =
        head.loss(pool, data.batch(), kernels::matrixView(std::span<float>(grad), 2, 3));
    const double binary = 4 * std::log(2.0);
    VERIFY_NEAR(loss, 2 * 5.0 + 0.5 * binary, 1e-6, 0);
    const std::vector<float> expected{0, 8, -0.25F, -4, 0, 0.75F};
    for (std::size_t i = 0; i < grad.size(); ++i) {
        VERIFY_NEAR(grad[i], expected[i], 1e-6, 1e-7);
    }
    const auto summaries = head.lossSummaries();
    QCOMPARE(summaries.size(), std::size_t(3));
    QCOMPARE(summaries[1].name, std::string("loss/b"));
    VERIFY_NEAR(summaries[1].value, binary, 1e-6, 0);
    const auto metrics = head.createMetrics();
    QCOMPARE(head.evaluate(pool, data.batch(), *metrics), loss);
    QStringList names;
    for (const metrics::MetricValue& metric : metrics->results()) {
        names << QString::fromStdString(metric.name);
    }
    const QStringList expectedNames{"accuracy/b",
                                    "accuracy_baseline/b",
                                    "auc/b",
                                    "auc_precision_recall/b",
                                    "average_loss/a",
                                    "average_loss/b",
                                    "label/mean/a",
                                    "label/mean/b",
                                    "loss",
                                    "loss/a",
                                    "loss/b",
                                    "precision/b",
                                    "prediction/mean/a",
                                    "prediction/mean/b",
                                    "recall/b"};
    QCOMPARE(names, expectedNames);
}

void TstHeads::multiHeadsHessianHasABlockForEachHead()
{
    const QJsonArray parts{
        QJsonObject{{"class", "BinaryClassHead"}, {"name", "b"}},
        QJsonObject{{"class", "MultiClassHead"}, {"name", "m"}, {"n_classes", 3}}};
    const QJsonObject description{
        {"class", "MultiHead"}, {"heads", parts}, {"head_weights", QJsonArray{4.0, 9.0}}};
    const auto made = heads::makeHead(headMessage(description, spec::LossReduction::SUM));
    VERIFY_OK(made);
    const HeadCase data{.logits = {{0, 1, 1, 1}, 4}, .labels = {{1, 2}, 2}, .weights = {}};
    kernels::ThreadPool pool;
    std::vector<float> second(4);
    (*made)->secondDerivatives(pool, data.batch(),
                               kernels::matrixView(std::span<float>(second), 1, 4));
    std::vector<float> hessian(16);
    (*made)->secondDerivatives(pool, data.batch(),
                               kernels::matrixView(std::span<float>(hessian), 1, 16));
    const std::vector<float> expected{1, 0, 0, 0, 0, 2, -1, -1, 0, -1, 2, -1, 0, -1, -1, 2};
    for (std::size_t i = 0; i < hessian.size(); ++i) {
        VERIFY_NEAR(hessian[i], expected[i], 1e-6, 1e-6);
    }
    for (std::size_t i = 0; i < second.size(); ++i) {
        VERIFY_NEAR(second[i], expected[5 * i], 1e-6, 1e-6);
    }
}

void TstHeads::refusesWhatTensorFlowRefuses()
{
    const auto make = [](const QJsonObject& description) {
        return heads::makeHead(headMessage(description, spec::LossReduction::SUM));
    };
    const auto multi = [&](const QJsonArray& parts, const QJsonArray& weights = {}) {
        return make({{"class", "MultiHead"}, {"heads", parts}, {"head_weights", weights}});
    };
    VERIFY_ERROR(heads::makeHead(spec::Head()), "head.none");
    VERIFY_ERROR(make({{"class", "MultiClassHead"}, {"n_classes", 2}}), "head.too_few_classes");
    VERIFY_ERROR(make({{"class", "MultiLabelHead"}, {"n_classes", 1}}), "head.too_few_labels");
    VERIFY_ERROR(make({{"class", "BinaryClassHead"}, {"thresholds", QJsonArray{0.5, 1.0}}}),
                 "head.threshold");
    VERIFY_ERROR(make({{"class", "BinaryClassHead"}, {"label_vocabulary", QJsonArray{"a"}}}),
                 "head.vocabulary_size");
    VERIFY_ERROR(make({{"class", "BinaryClassHead"}, {"label_vocabulary", QJsonArray{"a", "a"}}}),
                 "head.vocabulary_twice");
    VERIFY_ERROR(make({{"class", "RegressionHead"}, {"label_dimension", 0}}),
                 "head.label_dimension");
    VERIFY_ERROR(make({{"class", "RegressionHead"}, {"name", "two words"}}), "head.bad_name");
    VERIFY_ERROR(make({{"class", "MultiLabelHead"},
                       {"n_classes", 2},
                       {"classes_for_class_based_metrics", QJsonArray{2}}}),
                 "head.unknown_class");
    const QJsonObject named{{"class", "RegressionHead"}, {"name", "a"}};
    VERIFY_ERROR(multi({}), "head.no_heads");
    VERIFY_ERROR(multi({QJsonObject{{"class", "RegressionHead"}}}), "head.no_name");
    VERIFY_ERROR(multi({named, named}), "head.name_twice");
    VERIFY_ERROR(multi({named}, {1.0, 2.0}), "head.weight_count");
    VERIFY_ERROR(multi({QJsonObject{{"class", "MultiHead"}, {"heads", QJsonArray{named}}}}),
                 "head.nested_multi_head");
}

namespace {

spec::Head scaledRegression(double scale, double offset)
{
    spec::Head message;
    spec::AffineLink& link = *message.mutable_regression_head()->mutable_inverse_link_fn();
    link.set_scale(scale);
    link.set_offset(offset);
    return message;
}

std::map<std::string, double> valuesOf(const metrics::MetricSet& set)
{
    std::map<std::string, double> values;
    for (const metrics::MetricValue& metric : set.results()) {
        values[metric.name] = metric.value;
    }
    return values;
}

} // namespace

void TstHeads::aScaledRegressionLearnsInUnitsOfItsScale()
{
    const auto made = heads::makeHead(scaledRegression(1e6, 5e6));
    VERIFY_OK(made);
    Head& head = **made;
    kernels::ThreadPool pool;
    const std::vector<float> logits{0, 1, -1};
    const std::vector<float> labels{5e6F, 8e6F, 4e6F};
    const heads::HeadBatch batch{kernels::matrixView(std::span(logits), 3, 1),
                                 kernels::matrixView(std::span(labels), 3, 1),
                                 {}};
    std::vector<float> gradient(3);
    // (0 - 0)², (1 - 3)², (-1 + 1)²: the mean, and 2 (z - t) / 3.
    VERIFY_NEAR(head.loss(pool, batch, kernels::matrixView(std::span(gradient), 3, 1)), 4.0 / 3,
                1e-6, 0);
    QCOMPARE(gradient[0], 0.0F);
    VERIFY_NEAR(double(gradient[1]), -4.0 / 3, 1e-6, 0);
    QCOMPARE(gradient[2], 0.0F);

    std::vector<heads::Prediction> predictions;
    head.predict(pool, batch.logits, batch.logits.rows, predictions);
    QCOMPARE(predictions.size(), std::size_t(2));
    QCOMPARE(predictions[0].floats, (std::vector<float>{5e6F, 6e6F, 4e6F}));
    QCOMPARE(predictions[1].floats, logits);

    const auto metrics = head.createEvaluationMetrics();
    VERIFY_NEAR(head.evaluate(pool, batch, *metrics), 4.0 / 3, 1e-6, 0);
    const auto values = valuesOf(*metrics);
    VERIFY_NEAR(values.at("average_loss"), 4e12 / 3, 1e-6, 0);
    VERIFY_NEAR(values.at("prediction/mean"), 5e6, 1e-6, 0);
    VERIFY_NEAR(values.at("cannery/rmse"), std::sqrt(4e12 / 3), 1e-6, 0);
}

void TstHeads::aScaleThatIsNoneIsRefused()
{
    for (const double scale : {0.0, -1.0, 1e300}) {
        const auto made = heads::makeHead(scaledRegression(scale, 0));
        QVERIFY(!made);
        QCOMPARE(made.error().id, std::string("head.inverse_link"));
    }
}

void TstHeads::baselinesStandBesideTensorFlowsMetrics()
{
    spec::Head message;
    message.mutable_multi_class_head()->set_n_classes(3);
    const auto made = heads::makeHead(message);
    VERIFY_OK(made);
    Head& head = **made;
    kernels::ThreadPool pool;
    const std::vector<float> logits{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1};
    const std::vector<float> labels{0, 1, 1, 1};
    const heads::HeadBatch batch{kernels::matrixView(std::span(logits), 4, 3),
                                 kernels::matrixView(std::span(labels), 4, 1),
                                 {}};
    const auto plain = head.createMetrics();
    QVERIFY(valuesOf(*plain).count("cannery/accuracy_baseline") == 0);
    const auto metrics = head.createEvaluationMetrics();
    head.evaluate(pool, batch, *metrics);
    VERIFY_NEAR(valuesOf(*metrics).at("accuracy"), 0.5, 1e-12, 0);
    VERIFY_NEAR(valuesOf(*metrics).at("cannery/accuracy_baseline"), 0.75, 1e-12, 0);
}

void TstHeads::catalogHasEveryHeadOfTheSchema()
{
    const auto* kinds = spec::Head::descriptor()->FindOneofByName("kind");
    QCOMPARE(int(heads::headCatalog().size()), kinds->field_count());
    for (int i = 0; i < kinds->field_count(); ++i) {
        const auto& row = heads::headCatalog()[static_cast<std::size_t>(i)];
        QCOMPARE(int(row.key), kinds->field(i)->number());
        QCOMPARE(std::string(row.name), kinds->field(i)->name());
    }
}

CANNERY_TEST(TstHeads)
#include "tst_heads.moc"
