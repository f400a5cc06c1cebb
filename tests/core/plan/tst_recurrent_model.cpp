// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/plan/inference.h"
#include "core/plan/last_step.h"
#include "tests/core/plan/toy_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>

using namespace cannery;
using namespace cannery::tests;

/// What a recurrent network makes of sequences of any length.
class TstRecurrentModel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void predictsARowAlikeInAnyBatch_data();
    void predictsARowAlikeInAnyBatch();
    void seesNothingInARowWithoutSteps_data() { predictsARowAlikeInAnyBatch_data(); }
    void seesNothingInARowWithoutSteps();
    void readsStepsInTheirOrder_data() { predictsARowAlikeInAnyBatch_data(); }
    void readsStepsInTheirOrder();
    void takesABatchWithoutAnyStep_data() { predictsARowAlikeInAnyBatch_data(); }
    void takesABatchWithoutAnyStep();
    void summarizesTheNumbersOfSteps();
};

namespace {

std::unique_ptr<plan::Model> modelOf(const QString& cell)
{
    auto made = toyModel("rnn_classifier { sequence_feature_columns: ['path', 'word_hot'] "
                         "units: [4, 3] cell_type: " +
                         cell.toStdString() + " optimizer { adagrad { learning_rate: 0.1 } } }");
    CANNERY_CHECK(made.has_value());
    for (int step = 0; step < 5; ++step) {
        (*made)->train(toyRows(24, 11), step);
    }
    return std::move(*made);
}

/// The steps [first, end) of both sequences of a batch.
void keepSteps(const features::EncodedRows& from, std::int64_t first, std::int64_t end,
               features::EncodedRows& to)
{
    features::SequenceBlock& path = to.sequences[0];
    const auto& values = from.sequences[0].values;
    path.values.assign(values.begin() + first * path.width, values.begin() + end * path.width);
    path.rowOffsets = {0, end - first};
    features::IdBlock& word = to.ids[3];
    word.ids.assign(from.ids[3].ids.begin() + first, from.ids[3].ids.begin() + end);
    word.rowOffsets = path.rowOffsets;
}

/// Only this row; its other features do not matter to the model.
features::EncodedRows rowOf(const features::EncodedRows& batch, std::size_t row)
{
    features::EncodedRows one = toyRows(1, 1);
    const std::vector<std::int64_t>& offsets = batch.sequences[0].rowOffsets;
    keepSteps(batch, offsets[row], offsets[row + 1], one);
    return one;
}

float logitOf(plan::Model& model, const features::EncodedRows& row)
{
    model.inference().forward(row, layers::Mode::Predict);
    return model.inference().logits().row(0)[0];
}

} // namespace

void TstRecurrentModel::predictsARowAlikeInAnyBatch_data()
{
    QTest::addColumn<QString>("cell");
    for (const char* cell : {"simple_rnn", "lstm", "gru"}) {
        QTest::newRow(cell) << cell;
    }
}

void TstRecurrentModel::predictsARowAlikeInAnyBatch()
{
    QFETCH(QString, cell);
    const auto model = modelOf(cell);
    const features::EncodedRows batch = toyRows(24, 5);
    model->inference().forward(batch, layers::Mode::Predict);
    std::vector<float> together;
    for (std::int64_t row = 0; row < batch.rowCount; ++row) {
        together.push_back(model->inference().logits().row(row)[0]);
    }
    for (std::size_t row = 0; row < together.size(); ++row) {
        QCOMPARE(logitOf(*model, rowOf(batch, row)), together[row]);
    }
    QVERIFY(*std::ranges::max_element(together) > *std::ranges::min_element(together));
}

void TstRecurrentModel::seesNothingInARowWithoutSteps()
{
    QFETCH(QString, cell);
    const auto model = modelOf(cell);
    features::EncodedRows row = toyRows(1, 3);
    keepSteps(row, 0, 0, row);
    QCOMPARE(logitOf(*model, row), stateOf(*model, "rnn_model/logits/bias")[0]);
}

void TstRecurrentModel::readsStepsInTheirOrder()
{
    QFETCH(QString, cell);
    const auto model = modelOf(cell);
    features::EncodedRows row = toyRows(1, 1);
    row.sequences[0] = {.width = 2, .rowOffsets = {0, 2}, .values = {1, -1, 0.5F, 2}};
    row.ids[3] = {.rowOffsets = {0, 2}, .ids = {4, 1}};
    const float forwards = logitOf(*model, row);
    row.sequences[0].values = {0.5F, 2, 1, -1};
    row.ids[3].ids = {1, 4};
    QVERIFY(logitOf(*model, row) != forwards);
}

void TstRecurrentModel::takesABatchWithoutAnyStep()
{
    QFETCH(QString, cell);
    const auto model = modelOf(cell);
    features::EncodedRows batch = toyRows(3, 3);
    batch.sequences[0].values.clear();
    batch.ids[3].ids.clear();
    batch.sequences[0].rowOffsets.assign(4, 0);
    batch.ids[3].rowOffsets.assign(4, 0);
    const std::string kernel =
        "rnn_model/rnn/stacked_rnn_cells/" + cell.toStdString() + "_cell/recurrent_kernel";
    const std::span<const float> weights = stateOf(*model, kernel);
    const std::vector<float> before(weights.begin(), weights.end());
    model->train(batch, 9);
    QVERIFY(std::ranges::equal(stateOf(*model, kernel), before));
    QVERIFY(stateOf(*model, "rnn_model/logits/bias")[0] != 0.0F);
}

void TstRecurrentModel::summarizesTheNumbersOfSteps()
{
    const auto model = modelOf("gru");
    const features::EncodedRows batch = toyRows(24, 5);
    model->train(batch, 6);
    const std::vector<plan::ModelSummary> summaries = model->lastStep().summaries();
    QCOMPARE(summaries.size(), std::size_t{1});
    QCOMPARE(summaries[0].tag, "rnn_model/sequence_input_layer/sequence_length");
    QVERIFY(summaries[0].histogram);
    std::vector<float> counts;
    for (std::size_t row = 0; row < 24; ++row) {
        const std::vector<std::int64_t>& offsets = batch.sequences[0].rowOffsets;
        counts.push_back(static_cast<float>(offsets[row + 1] - offsets[row]));
    }
    QCOMPARE(summaries[0].values, counts);
}

CANNERY_TEST(TstRecurrentModel)
#include "tst_recurrent_model.moc"
