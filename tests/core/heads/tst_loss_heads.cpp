// SPDX-License-Identifier: Apache-2.0
#include "core/heads/head_catalog.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace cannery;
using namespace cannery::tests;

/// loss_head: outputs as predictions, and what they say about classes. The losses themselves are
/// compared with Keras by tst_golden.
class TstLossHeads : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void predictsOutputsAsTheyAre();
    void classesHaveProbabilitiesWhereTheLossHasThem_data();
    void classesHaveProbabilitiesWhereTheLossHasThem();
    void anActivationLeftToTheHeadIsBehindTheLoss();
    void oneLossIsTheOtherInItsWords();
    void anIgnoredClassHasNoPartInTheLoss();
    void metricsMeasureShares();
    void badArgumentsAreRefused();
};

namespace {

spec::Head lossHead(const std::string& fields)
{
    spec::Head message;
    google::protobuf::TextFormat::ParseFromString("loss_head { " + fields + " }", &message);
    return message;
}

Result<std::unique_ptr<heads::Head>>
made(const std::string& fields, heads::OutputActivation activation = heads::OutputActivation::None)
{
    return heads::makeLossHead(lossHead(fields), activation);
}

kernels::ConstMatrixView rowsOf(const std::vector<float>& values, std::int64_t cols)
{
    return kernels::matrixView(std::span(values), static_cast<std::int64_t>(values.size()) / cols,
                               cols);
}

std::map<std::string, heads::Prediction> predicted(const heads::Head& head,
                                                   const std::vector<float>& outputs)
{
    kernels::ThreadPool pool(1);
    std::vector<heads::Prediction> predictions;
    const auto view = rowsOf(outputs, head.logitsWidth());
    head.predict(pool, view, view.rows, predictions);
    std::map<std::string, heads::Prediction> byKey;
    for (heads::Prediction& prediction : predictions) {
        byKey[prediction.key] = std::move(prediction);
    }
    return byKey;
}

QStringList keysOf(const std::map<std::string, heads::Prediction>& predictions)
{
    QStringList keys;
    for (const auto& [key, prediction] : predictions) {
        keys << QString::fromStdString(key);
    }
    return keys;
}

std::map<std::string, double> evaluated(heads::Head& head, const std::vector<float>& outputs,
                                        const std::vector<float>& labels)
{
    kernels::ThreadPool pool(1);
    const auto metrics = head.createMetrics();
    head.evaluate(pool,
                  {.logits = rowsOf(outputs, head.logitsWidth()),
                   .labels = rowsOf(labels, head.labelWidth()),
                   .weights = {}},
                  *metrics);
    std::map<std::string, double> values;
    for (const metrics::MetricValue& value : metrics->results()) {
        values[value.name] = value.value;
    }
    return values;
}

} // namespace

void TstLossHeads::predictsOutputsAsTheyAre()
{
    const auto head = made("loss { huber { delta: 0.8 } } label_dimension: 2");
    VERIFY_OK(head);
    QCOMPARE((*head)->logitsWidth(), std::int64_t{2});
    QCOMPARE((*head)->labelWidth(), std::int64_t{2});
    const auto predictions = predicted(**head, {1, 2, 3, 4});
    QCOMPARE(keysOf(predictions), QStringList{"predictions"});
    QCOMPARE(predictions.at("predictions").floats, (std::vector<float>{1, 2, 3, 4}));
    // |1 - 0| = 1 > 0.8: 0.8 - 0.32; |2 - 1.5|: 0.125; |3 - 3|: 0; |4 - 4.5|: 0.125.
    const auto metrics = evaluated(**head, {1, 2, 3, 4}, {0, 1.5, 3, 4.5});
    VERIFY_NEAR(metrics.at("average_loss"), (0.48 + 0.125 + 0 + 0.125) / 4, 1e-7, 0);
    VERIFY_NEAR(metrics.at("loss"), metrics.at("average_loss"), 1e-7, 0);
    VERIFY_NEAR(metrics.at("prediction/mean"), 2.5, 1e-7, 0);
    VERIFY_NEAR(metrics.at("label/mean"), 2.25, 1e-7, 0);
    QVERIFY(!metrics.contains("accuracy"));
}

void TstLossHeads::classesHaveProbabilitiesWhereTheLossHasThem_data()
{
    QTest::addColumn<QString>("loss");
    QTest::addColumn<int>("width");
    QTest::addColumn<QList<float>>("outputs");
    QTest::addColumn<QList<float>>("probabilities"); // none: no key
    QTest::addColumn<int>("classId");
    const auto row = [](const char* loss, int classes, const QList<float>& outputs,
                        const QList<float>& probabilities, int classId) {
        QTest::newRow(loss) << QString("loss { %1 } n_classes: %2").arg(loss).arg(classes)
                            << int(outputs.size()) << outputs << probabilities << classId;
    };
    row("binary_crossentropy {}", 2, {0.25F}, {0.75F, 0.25F}, 0);
    row("binary_crossentropy { from_logits: true }", 2, {0.0F}, {0.5F, 0.5F}, 0);
    row("binary_focal_crossentropy {}", 2, {0.75F}, {0.25F, 0.75F}, 1);
    row("hinge {}", 2, {0.5F}, {}, 1);
    row("squared_hinge {}", 2, {-0.5F}, {}, 0);
    row("hinge { }", 3, {-1.0F, 2.0F, 1.0F}, {}, 1);
    row("categorical_crossentropy {}", 3, {0.25F, 0.25F, 0.5F}, {0.25F, 0.25F, 0.5F}, 2);
    row("categorical_crossentropy { from_logits: true }", 2, {1.0F, 1.0F}, {0.5F, 0.5F}, 0);
    row("categorical_focal_crossentropy {}", 2, {0.25F, 0.75F}, {0.25F, 0.75F}, 1);
    row("sparse_categorical_crossentropy {}", 2, {0.75F, 0.25F}, {0.75F, 0.25F}, 0);
    row("kl_divergence {}", 2, {0.75F, 0.25F}, {0.75F, 0.25F}, 0);
    row("mean_squared_error {}", 2, {3.0F, 4.0F}, {}, 1);
    row("categorical_hinge {}", 2, {3.0F, 2.0F}, {}, 0);
}

void TstLossHeads::classesHaveProbabilitiesWhereTheLossHasThem()
{
    QFETCH(QString, loss);
    QFETCH(int, width);
    QFETCH(QList<float>, outputs);
    QFETCH(QList<float>, probabilities);
    QFETCH(int, classId);
    const auto head = made(loss.toStdString());
    VERIFY_OK(head);
    QCOMPARE((*head)->logitsWidth(), std::int64_t{width});
    QCOMPARE((*head)->labelWidth(), std::int64_t{1});
    const auto predictions = predicted(**head, {outputs.begin(), outputs.end()});
    QCOMPARE(predictions.at("class_ids").integers.front(), std::int64_t{classId});
    QCOMPARE(predictions.at("classes").strings[0], std::to_string(classId));
    QCOMPARE(predictions.contains("probabilities"), !probabilities.empty());
    if (!probabilities.empty()) {
        const std::vector<float>& found = predictions.at("probabilities").floats;
        QCOMPARE(QList<float>(found.begin(), found.end()), probabilities);
    }
}

void TstLossHeads::anActivationLeftToTheHeadIsBehindTheLoss()
{
    const std::string fields = "loss { binary_crossentropy {} } n_classes: 2";
    const auto head = made(fields, heads::OutputActivation::Sigmoid);
    const auto ofLogits = made("loss { binary_crossentropy { from_logits: true } } n_classes: 2");
    VERIFY_OK(head);
    VERIFY_OK(ofLogits);
    // A probability of 1 in float32, whose loss by Keras' clip would be 15.9.
    const std::vector<float> logits{40.0F};
    QCOMPARE(predicted(**head, logits).at("predictions").floats, (std::vector<float>{1.0F}));
    QCOMPARE(predicted(**ofLogits, logits).at("predictions").floats, logits);
    VERIFY_NEAR(evaluated(**head, logits, {0}).at("average_loss"), 40.0, 1e-6, 0);
    VERIFY_NEAR(evaluated(**ofLogits, logits, {0}).at("average_loss"), 40.0, 1e-6, 0);
    QVERIFY(heads::goesBehindActivation(lossHead(fields)));
    QVERIFY(!heads::goesBehindActivation(lossHead("loss { mean_squared_error {} }")));
}

void TstLossHeads::oneLossIsTheOtherInItsWords()
{
    const auto sparse = made("loss { sparse_categorical_crossentropy {} } n_classes: 3");
    const auto hot = made("loss { categorical_crossentropy {} } n_classes: 3");
    const auto vectors = made("loss { categorical_crossentropy {} } label_dimension: 3");
    VERIFY_OK(sparse);
    VERIFY_OK(hot);
    VERIFY_OK(vectors);
    const std::vector<float> outputs{0.25F, 0.25F, 0.5F, 0.125F, 0.75F, 0.125F};
    const auto expected = evaluated(**sparse, outputs, {2, 0});
    VERIFY_NEAR(expected.at("average_loss"), (std::log(2.0) + std::log(8.0)) / 2, 1e-6, 0);
    VERIFY_NEAR(expected.at("accuracy"), 0.5, 1e-12, 0);
    QVERIFY(!expected.contains("label/mean"));
    VERIFY_NEAR(evaluated(**hot, outputs, {2, 0}).at("average_loss"), expected.at("average_loss"),
                1e-6, 0);
    VERIFY_NEAR(evaluated(**vectors, outputs, {0, 0, 1, 1, 0, 0}).at("average_loss"),
                expected.at("average_loss"), 1e-6, 0);
}

void TstLossHeads::anIgnoredClassHasNoPartInTheLoss()
{
    const std::string loss = "loss { sparse_categorical_crossentropy { ignore_class: 1 } } ";
    const auto head = made(loss + "n_classes: 2");
    VERIFY_OK(head);
    const std::vector<float> outputs{0.5F, 0.5F, 0.125F, 0.875F};
    const auto metrics = evaluated(**head, outputs, {0, 1});
    VERIFY_NEAR(metrics.at("loss"), std::log(2.0), 1e-6, 0);
    VERIFY_NEAR(metrics.at("average_loss"), std::log(2.0), 1e-6, 0);
    VERIFY_NEAR(metrics.at("accuracy"), 1.0, 1e-12, 0);
    // Where no row counts, the loss is 0 and not a quotient of zeros.
    VERIFY_NEAR(evaluated(**head, outputs, {1, 1}).at("loss"), 0.0, 1e-12, 0);
}

void TstLossHeads::metricsMeasureShares()
{
    const auto head = made("loss { hinge {} } n_classes: 2");
    VERIFY_OK(head);
    const auto measured = (*head)->measured("", 0);
    QVERIFY(measured.has_value());
    QCOMPARE(measured->subject.labels, spec::LabelKind::Probability);
    const auto metrics = evaluated(**head, {-3, 0.5, 2}, {0, 0, 1});
    VERIFY_NEAR(metrics.at("accuracy"), 2.0 / 3, 1e-7, 0);
    VERIFY_NEAR(metrics.at("label/mean"), 1.0 / 3, 1e-7, 0);
    // Labels of 0 and 1 are margins of -1 and 1.
    VERIFY_NEAR(metrics.at("average_loss"), 0.5, 1e-7, 0);
}

void TstLossHeads::badArgumentsAreRefused()
{
    VERIFY_ERROR(made(""), "head.no_loss");
    VERIFY_ERROR(made("loss { sparse_categorical_crossentropy {} }"), "head.loss_classes");
    VERIFY_ERROR(made("loss { sparse_categorical_crossentropy { ignore_class: 3 } } n_classes: 3"),
                 "head.ignored_class");
    VERIFY_ERROR(made("loss { huber {} } label_dimension: 0"), "head.loss_label_dimension");
    VERIFY_ERROR(made("loss { hinge {} } n_classes: 3 label_vocabulary: 'a'"),
                 "head.vocabulary_size");
}

CANNERY_TEST(TstLossHeads)
#include "tst_loss_heads.moc"
