// SPDX-License-Identifier: Apache-2.0
#include "core/plan/inference.h"
#include "core/plan/last_step.h"
#include "tests/core/plan/toy_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <array>
#include <cmath>
#include <utility>

using namespace cannery;
using namespace cannery::tests;

/// Recurrent networks whose head judges and predicts every step. That they are those of TensorFlow
/// is tested in tests/interop (test_every_step.py).
class TstEveryStep : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void gradientsAgreeWithDifferencesOfTheLoss_data();
    void gradientsAgreeWithDifferencesOfTheLoss();
    void threadsChangeNoBit();
    void shardsCountByTheirSteps_data();
    void shardsCountByTheirSteps();
    void shardsOfOtherProcessesAreRefused();
    void aBatchWithoutStepsTeachesNothing();
    void classesWeighSteps();
    void predictionsHaveTheStepsOfTheirRow();
};

namespace {

const std::string kNetwork =
    "sequence_feature_columns: ['path', 'word_hot'] context_feature_columns: ['x'] units: [4, 3] "
    "return_sequences: true ";
const std::string kAdagrad = "optimizer { adagrad { learning_rate: 0.1 } } }";

bool isNear(double actual, double expected)
{
    return std::abs(actual - expected) <= 1e-6 + 1e-5 * std::abs(expected);
}

} // namespace

void TstEveryStep::gradientsAgreeWithDifferencesOfTheLoss_data()
{
    QTest::addColumn<QString>("estimator");
    QTest::addColumn<int>("labelWidth");
    QTest::addColumn<bool>("isWeighted");
    QTest::newRow("classes of simple cells")
        << QString::fromStdString("rnn_classifier { n_classes: 3 " + kNetwork + kAdagrad) << 1
        << false;
    QTest::newRow("weighted classes of LSTM cells")
        << QString::fromStdString(
               "rnn_classifier { cell_type: lstm weight_column { feature: 'w' } " + kNetwork +
               kAdagrad)
        << 1 << true;
    QTest::newRow("a sum of numbers of GRU cells")
        << QString::fromStdString("rnn_estimator { cell_type: gru head { regression_head { "
                                  "label_dimension: 2 loss_reduction: SUM } } " +
                                  kNetwork + kAdagrad)
        << 2 << false;
}

void TstEveryStep::gradientsAgreeWithDifferencesOfTheLoss()
{
    QFETCH(QString, estimator);
    QFETCH(int, labelWidth);
    QFETCH(bool, isWeighted);
    const auto made = toyModel(estimator.toStdString(), {.seed = 3});
    VERIFY_OK(made);
    plan::Model& model = **made;
    const features::EncodedRows rows = stepRows(12, 11, labelWidth, isWeighted);
    for (int step = 0; step < 3; ++step) {
        model.train(rows, step);
    }
    for (const plan::StateTensor& tensor : model.state()) {
        if (!tensor.trainable) {
            continue;
        }
        model.computeGradients(rows, 7);
        const std::vector<float> gradient = model.lastStep().gradient(tensor.name);
        const std::span<float> weights = floatsOf(tensor);
        const std::size_t stride = std::max<std::size_t>(1, weights.size() / 6);
        for (std::size_t element = 0; element < weights.size(); element += stride) {
            const double expected = lossSlope(model, rows, 7, weights[element]);
            const auto got = static_cast<double>(gradient[element]);
            QVERIFY2(std::abs(got - expected) <= 1e-3 + 0.02 * std::abs(expected),
                     qPrintable(QString("%1[%2]: %3, differences give %4")
                                    .arg(QString::fromStdString(tensor.name))
                                    .arg(element)
                                    .arg(got)
                                    .arg(expected)));
        }
    }
}

void TstEveryStep::threadsChangeNoBit()
{
    std::array<std::vector<std::byte>, 2> states;
    for (const int threads : {1, 3}) {
        const auto made = toyModel("rnn_classifier { cell_type: lstm " + kNetwork + kAdagrad,
                                   {.maxBatchSize = 300, .threads = threads, .seed = 3});
        VERIFY_OK(made);
        for (int step = 0; step < 3; ++step) {
            (*made)->train(stepRows(300, 11), step);
        }
        states[threads == 1 ? 0 : 1] = allState(**made);
    }
    QVERIFY(states[0] == states[1]);
}

void TstEveryStep::shardsCountByTheirSteps_data()
{
    QTest::addColumn<QString>("reduction");
    QTest::newRow("mean") << "SUM_OVER_BATCH_SIZE";
    QTest::newRow("sum") << "SUM";
}

/// A shard of few steps and one of many are one batch to the gradient.
void TstEveryStep::shardsCountByTheirSteps()
{
    QFETCH(QString, reduction);
    const std::string text =
        "rnn_classifier { loss_reduction: " + reduction.toStdString() + " " + kNetwork + kAdagrad;
    const auto together = toyModel(text, {.seed = 3});
    const auto apart =
        toyModel(text, {.seed = 3, .sharding = {.total = 2, .count = 2, .batchRows = 12}});
    VERIFY_OK(together);
    VERIFY_OK(apart);
    const features::EncodedRows all = stepRows(12, 11);
    // The second shard has the first rows, without its last labelled steps.
    features::EncodedRows few = all;
    for (std::vector<std::int64_t>* offsets :
         {&few.sequences[0].rowOffsets, &few.ids[3].rowOffsets, &few.labelOffsets}) {
        for (std::int64_t& offset : *offsets) {
            offset = std::min<std::int64_t>(offset, 5);
        }
    }
    few.sequences[0].values.resize(10);
    few.ids[3].ids.resize(5);
    few.labels.resize(5);
    const double lossOfAll = (*together)->computeGradients(all, 0);
    const std::vector<float> ofAll = (*together)->lastStep().gradient("rnn_model/logits/kernel");
    const double lossOfFew = (*together)->computeGradients(few, 0);
    const std::vector<float> ofFew = (*together)->lastStep().gradient("rnn_model/logits/kernel");
    const std::array<features::EncodedRows, 2> shards{all, few};
    const auto loss = (*apart)->train(shards, 0);
    VERIFY_OK(loss);
    const std::vector<float> got = (*apart)->lastStep().gradient("rnn_model/logits/kernel");
    const double steps = static_cast<double>(all.labels.size()) + 5.0;
    const bool isMean = reduction != "SUM";
    const double share = isMean ? static_cast<double>(all.labels.size()) / steps : 1.0;
    const double other = isMean ? 5.0 / steps : 1.0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        QVERIFY(isNear(double(got[i]), share * double(ofAll[i]) + other * double(ofFew[i])));
    }
    const double expected = share * lossOfAll + other * lossOfFew;
    QVERIFY(isNear(**loss, isMean ? expected : expected / 2));
}

void TstEveryStep::shardsOfOtherProcessesAreRefused()
{
    VERIFY_ERROR(toyModel("rnn_classifier { " + kNetwork + kAdagrad,
                          {.sharding = {.total = 2, .count = 1, .batchRows = 12}}),
                 "plan.steps_of_processes");
}

void TstEveryStep::aBatchWithoutStepsTeachesNothing()
{
    const auto made = toyModel("rnn_classifier { cell_type: gru " + kNetwork + kAdagrad);
    VERIFY_OK(made);
    (*made)->train(stepRows(12, 11), 0);
    features::EncodedRows empty = stepRows(3, 1);
    empty.sequences[0] = {.width = 2, .rowOffsets = {0, 0, 0, 0}, .values = {}};
    empty.ids[3] = {.rowOffsets = {0, 0, 0, 0}, .ids = {}, .weights = {}};
    empty.labelOffsets.assign(4, 0);
    empty.labels.clear();
    const std::vector<std::byte> before = allState(**made);
    QCOMPARE((*made)->train(empty, 1), 0.0);
    QVERIFY(allState(**made) == before);
    const auto metrics = (*made)->head().createMetrics();
    QCOMPARE((*made)->inference().evaluate(empty, *metrics), 0.0);
}

void TstEveryStep::classesWeighSteps()
{
    const std::string text = "rnn_classifier { " + kNetwork + kAdagrad;
    const auto plain = toyModel(text, {.seed = 3});
    const auto weighed = toyModel(
        text, {.seed = 3, .classWeights = {{.id = 0, .weight = 2}, {.id = 1, .weight = 2}}});
    VERIFY_OK(plain);
    VERIFY_OK(weighed);
    const features::EncodedRows rows = stepRows(12, 11);
    QVERIFY(isNear((*weighed)->computeGradients(rows, 0), 2 * (*plain)->computeGradients(rows, 0)));
}

void TstEveryStep::predictionsHaveTheStepsOfTheirRow()
{
    const auto made = toyModel("rnn_classifier { sequence_mask: 'steps' " + kNetwork + kAdagrad);
    VERIFY_OK(made);
    features::EncodedRows rows = stepRows(6, 11);
    std::vector<heads::Prediction> predictions;
    for (int time = 0; time < 2; ++time) {
        (*made)->inference().predict(rows, predictions);
        QCOMPARE(predictions.size(), std::size_t{8});
        for (const heads::Prediction& one : predictions) {
            const bool isOfRows = one.key == "all_classes" || one.key == "all_class_ids";
            QCOMPARE(one.isConstant, isOfRows);
            QCOMPARE(one.stepOffsets,
                     isOfRows ? std::vector<std::int64_t>() : rows.sequences[0].rowOffsets);
        }
        QCOMPARE(predictions[0].floats.size(), rows.labels.size());
        QCOMPARE(predictions[6].strings.size(), std::size_t{12});
        QCOMPARE(predictions[7].key, "steps");
        QVERIFY(predictions[7].dtype == DType::Bool);
        QCOMPARE(predictions[7].integers, std::vector<std::int64_t>(rows.labels.size(), 1));
    }
}

CANNERY_TEST(TstEveryStep)
#include "tst_every_step.moc"
