// SPDX-License-Identifier: Apache-2.0
#include "core/features/encoded_dataset.h"
#include "core/plan/device/device_training.h"
#include "core/plan/last_step.h"
#include "core/plan/staged_batch.h"
#include "tests/core/plan/device_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace cannery;
using namespace cannery::tests;

using Call = EmulatedCall::Kind;

/// Sequences on a GPU, of any length: what a recurrent network learns of them, against the CPU.
class TstDeviceSequences : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void roundsTheLongestRow();
    void followsTheCpuOnLongRows_data();
    void followsTheCpuOnLongRows();
    void followsTheCpuAtEveryStep_data();
    void followsTheCpuAtEveryStep();
    void leavesRowsAloneThatNoStepLooksUp();
    void noBitDependsOnHowLongOtherRowsAre_data();
    void noBitDependsOnHowLongOtherRowsAre();
    void givesTheSameBitsFromATable_data();
    void givesTheSameBitsFromATable();
    void keepsAProgramForLengthsThatAreNear();
    void aBatchWithoutStepsTeachesNothing();
    void countsTheStepsForSummaries();
    void tellsWhatMemoryLongRowsLack();
    void looksForTheLongestRowFirst();
};

namespace {

constexpr std::int64_t kSequenceRows = 12;

std::string recurrentNetwork(const std::string& cell, const std::string& more = {})
{
    return "rnn_classifier { cell_type: " + cell +
           " sequence_feature_columns: ['path', 'word_table', 'word_hot'] context_feature_columns: "
           "['x', 'one_table', 'one_hot'] units: [5, 4] " +
           more + " optimizer { adagrad { learning_rate: 0.1 } } }";
}

const std::string kEveryStep = "return_sequences: true ";

void addSequenceCells()
{
    QTest::addColumn<QString>("cell");
    QTest::addColumn<bool>("everyStep");
    for (const char* cell : {"simple_rnn", "lstm", "gru"}) {
        QTest::newRow(cell) << cell << false;
        QTest::addRow("%s at every step", cell) << cell << true;
    }
}

/// 0 to 22 steps.
std::vector<std::int64_t> lengthsOf(std::int64_t seed)
{
    std::vector<std::int64_t> all;
    for (std::int64_t row = 0; row < kSequenceRows; ++row) {
        all.push_back((row * 7 + seed * 5) % 23);
    }
    return all;
}

features::EncodedRows sequenceRows(bool everyStep, const std::vector<std::int64_t>& steps,
                                   std::uint64_t seed)
{
    const auto rows = static_cast<std::int64_t>(steps.size());
    features::EncodedRows batch = everyStep ? stepRows(rows, seed) : toyRows(rows, seed);
    setSteps(batch, steps, seed);
    return batch;
}

/// The same batches on both; empty: they agree.
std::string differenceOnBatches(const std::string& estimator,
                                const std::vector<features::EncodedRows>& batches)
{
    EmulatedDevice device;
    const auto cpu = toyModel(estimator, {.seed = 5});
    const auto gpu = toyModel(estimator, {.seed = 5, .accelerator = &device});
    if (!cpu || !gpu) {
        return (cpu ? gpu : cpu).error().message();
    }
    for (std::size_t step = 0; step < batches.size(); ++step) {
        const auto number = static_cast<std::int64_t>(step);
        const double expected = (*cpu)->train(batches[step], number);
        const double loss = (*gpu)->train(batches[step], number);
        if (!(std::abs(loss - expected) <= 1e-5 * std::abs(expected))) {
            return fmt::format("loss of step {}: {}, {} on the CPU", step, loss, expected);
        }
    }
    return stateDifference(**cpu, **gpu);
}

} // namespace

void TstDeviceSequences::roundsTheLongestRow()
{
    QCOMPARE(plan::roundedSteps(0), 0);
    std::int64_t before = 0;
    int different = 0;
    for (std::int64_t longest = 1; longest <= 1000; ++longest) {
        const std::int64_t rounded = plan::roundedSteps(longest);
        QVERIFY(rounded >= longest);
        QCOMPARE(rounded % 8, 0);
        QVERIFY(rounded - longest < 8 || 2 * (rounded - longest) < longest);
        QCOMPARE(plan::roundedSteps(rounded), rounded);
        different += rounded != before ? 1 : 0;
        before = rounded;
    }
    QCOMPARE(different, 14);
}

void TstDeviceSequences::followsTheCpuOnLongRows_data()
{
    addSequenceCells();
}

void TstDeviceSequences::followsTheCpuOnLongRows()
{
    QFETCH(QString, cell);
    QFETCH(bool, everyStep);
    std::vector<features::EncodedRows> batches;
    for (const std::int64_t seed : {2, 3, 4}) {
        batches.push_back(
            sequenceRows(everyStep, lengthsOf(seed), static_cast<std::uint64_t>(seed)));
    }
    const std::string estimator = recurrentNetwork(cell.toStdString(), everyStep ? kEveryStep : "");
    QCOMPARE(QString::fromStdString(differenceOnBatches(estimator, batches)), QString());
}

void TstDeviceSequences::followsTheCpuAtEveryStep_data()
{
    QTest::addColumn<QString>("estimator");
    QTest::addColumn<int>("labelWidth");
    QTest::addColumn<bool>("isWeighted");
    QTest::newRow("classes") << QString::fromStdString(
                                    recurrentNetwork("lstm", kEveryStep + "n_classes: 3"))
                             << 1 << false;
    QTest::newRow("weighted classes") << QString::fromStdString(recurrentNetwork(
                                             "gru", kEveryStep + "weight_column { feature: 'w' }"))
                                      << 1 << true;
    QTest::newRow("a sum") << QString::fromStdString(recurrentNetwork(
                                  "simple_rnn", kEveryStep + "loss_reduction: SUM"))
                           << 1 << false;
    QTest::newRow("numbers")
        << "rnn_estimator { cell_type: gru head { regression_head { label_dimension: 2 } } "
           "sequence_feature_columns: ['path'] units: 4 return_sequences: true optimizer { adam { "
           "learning_rate: 0.01 } } }"
        << 2 << false;
}

void TstDeviceSequences::followsTheCpuAtEveryStep()
{
    QFETCH(QString, estimator);
    QFETCH(int, labelWidth);
    QFETCH(bool, isWeighted);
    std::vector<features::EncodedRows> batches;
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        batches.push_back(stepRows(kSequenceRows, seed, labelWidth, isWeighted));
    }
    QCOMPARE(QString::fromStdString(differenceOnBatches(estimator.toStdString(), batches)),
             QString());
}

/// Where rows have equally many steps, each with a category, nothing looks up row 0 of a table, and
/// FTRL leaves it as it is.
void TstDeviceSequences::leavesRowsAloneThatNoStepLooksUp()
{
    std::vector<features::EncodedRows> batches;
    for (const std::uint64_t seed : {1, 2}) {
        batches.push_back(sequenceRows(false, std::vector<std::int64_t>(kSequenceRows, 5), seed));
        for (std::int32_t& id : batches.back().ids[3].ids) {
            id = std::max(id, 1);
        }
    }
    QCOMPARE(QString::fromStdString(differenceOnBatches(
                 "rnn_classifier { sequence_feature_columns: ['word_table'] units: 4 optimizer { "
                 "ftrl { learning_rate: 0.1 l1_regularization_strength: 0.01 } } }",
                 batches)),
             QString());
}

void TstDeviceSequences::noBitDependsOnHowLongOtherRowsAre_data()
{
    addSequenceCells();
}

/// The last row counts nothing, as all with label 1. It ends after the others, or much later.
void TstDeviceSequences::noBitDependsOnHowLongOtherRowsAre()
{
    QFETCH(QString, cell);
    QFETCH(bool, everyStep);
    const std::string estimator = recurrentNetwork(
        cell.toStdString(), "loss_reduction: SUM " + (everyStep ? kEveryStep : std::string()));
    std::vector<std::byte> expected;
    std::vector<double> expectedLosses;
    for (const std::int64_t ofLast : {6, 8, 9, 40, 100}) {
        EmulatedDevice device;
        const auto model =
            toyModel(estimator,
                     {.seed = 5, .classWeights = {{.id = 1, .weight = 0}}, .accelerator = &device});
        VERIFY_OK(model);
        std::vector<double> losses;
        for (const std::uint64_t seed : {1, 2, 3}) {
            std::vector<std::int64_t> steps = {3, 5, 0, 4, 1, 2, 5};
            features::EncodedRows batch = sequenceRows(everyStep, steps, seed);
            steps.push_back(ofLast);
            features::EncodedRows longer = sequenceRows(everyStep, steps, seed);
            std::fill(longer.labels.begin() + static_cast<std::ptrdiff_t>(batch.labels.size()),
                      longer.labels.end(), 1.0F);
            std::fill(longer.ids[3].ids.end() - ofLast, longer.ids[3].ids.end(), -1);
            std::ranges::copy(batch.labels, longer.labels.begin());
            losses.push_back((*model)->train(longer, static_cast<std::int64_t>(seed)));
        }
        if (expected.empty()) {
            expected = allState(**model);
            expectedLosses = losses;
        }
        QCOMPARE(losses, expectedLosses);
        QVERIFY(allState(**model) == expected);
    }
}

void TstDeviceSequences::givesTheSameBitsFromATable_data()
{
    addSequenceCells();
}

void TstDeviceSequences::givesTheSameBitsFromATable()
{
    QFETCH(QString, cell);
    QFETCH(bool, everyStep);
    const std::string estimator = recurrentNetwork(cell.toStdString(), everyStep ? kEveryStep : "");
    features::InputLayout layout = toyLayout();
    layout.labelledSteps = everyStep ? layout.slotOf("path") : -1;
    features::EncodedDataset table(layout, {});
    for (const std::int64_t seed : {1, 2, 3}) {
        VERIFY_OK(table.append(
            sequenceRows(everyStep, lengthsOf(seed), static_cast<std::uint64_t>(seed))));
    }
    EmulatedDevice device;
    const auto streamed = toyModel(estimator, {.seed = 5, .accelerator = &device});
    const auto model = toyModel(estimator, {.seed = 5, .accelerator = &device});
    VERIFY_OK(streamed);
    VERIFY_OK(model);
    VERIFY_OK((*model)->device()->setTable(table, {}));
    QVERIFY((*model)->device()->tableBytes() > 0);
    std::vector<double> losses;
    for (std::int64_t step = 0; step < 6; ++step) {
        std::vector<std::int64_t> rows;
        for (std::int64_t row = 0; row < 9; ++row) {
            rows.push_back((step * 11 + row * row * 5) % table.rowCount());
        }
        VERIFY_OK((*model)->device()->queue(rows, step));
        features::EncodedRows batch;
        VERIFY_OK(table.gather(rows, batch));
        losses.push_back((*streamed)->train(batch, step));
    }
    const auto fromTable = (*model)->device()->finish();
    VERIFY_OK(fromTable);
    QVERIFY(std::ranges::equal(*fromTable, losses));
    QVERIFY(allState(**model) == allState(**streamed));
}

void TstDeviceSequences::keepsAProgramForLengthsThatAreNear()
{
    EmulatedDevice device;
    const auto model = toyModel(recurrentNetwork("gru"), {.seed = 5, .accelerator = &device});
    VERIFY_OK(model);
    const auto prepared = [&](std::int64_t longest) {
        device.forgetCalls();
        std::vector<std::int64_t> steps(kSequenceRows, 2);
        steps.front() = longest;
        (*model)->train(sequenceRows(false, steps, 1), 0);
        return countOf(device, Call::Prepare);
    };
    QCOMPARE(prepared(8), 1);
    QCOMPARE(prepared(3), 0);
    QCOMPARE(prepared(17), 1);
    QCOMPARE(prepared(9), 0); // in the program for 24
    QCOMPARE(prepared(8), 0);
    for (const std::int64_t longest : {25, 33, 49, 65, 97, 129}) {
        prepared(longest);
    }
    for (const std::int64_t longest : {1, 9, 34, 100, 131}) {
        QCOMPARE(prepared(longest), 0);
    }
}

void TstDeviceSequences::aBatchWithoutStepsTeachesNothing()
{
    EmulatedDevice device;
    const auto model =
        toyModel("rnn_classifier { cell_type: gru sequence_feature_columns: ['path', 'word_hot'] "
                 "units: 4 return_sequences: true optimizer { adagrad { learning_rate: 0.1 } } }",
                 {.seed = 5, .accelerator = &device});
    VERIFY_OK(model);
    (*model)->train(stepRows(kSequenceRows, 1), 0);
    const std::vector<std::byte> before = allState(**model);
    QCOMPARE((*model)->train(sequenceRows(true, {0, 0, 0}, 1), 1), 0.0);
    QVERIFY(allState(**model) == before);
}

void TstDeviceSequences::countsTheStepsForSummaries()
{
    EmulatedDevice device;
    const auto model = toyModel(recurrentNetwork("gru"), {.seed = 5, .accelerator = &device});
    VERIFY_OK(model);
    (*model)->train(sequenceRows(false, {3, 0, 11}, 1), 0);
    const std::vector<plan::ModelSummary> summaries = (*model)->lastStep().summaries();
    QCOMPARE(summaries.size(), std::size_t{1});
    QVERIFY((summaries[0].values == std::vector<float>{3, 0, 11}));
}

void TstDeviceSequences::tellsWhatMemoryLongRowsLack()
{
    const auto outcome = [](std::int64_t memory, std::size_t rows) {
        EmulatedDevice device({.memoryBytes = memory});
        const auto model = toyModel(recurrentNetwork("lstm"),
                                    {.maxBatchSize = 32, .seed = 5, .accelerator = &device});
        if (!model) {
            return "at once: " + model.error().message();
        }
        const std::vector batches{sequenceRows(false, std::vector<std::int64_t>(rows, 400), 1)};
        const auto loss = (*model)->train(batches, 0);
        return loss ? std::string() : loss.error().message();
    };
    constexpr std::int64_t kEnough = std::int64_t{64} << 20;
    QCOMPARE(QString::fromStdString(outcome(kEnough, 32)), QString());
    const QString sentence = QString::fromStdString(outcome(kEnough / 4, 32));
    QVERIFY2(sentence.contains("in batches of 32 rows (in batches of "), qPrintable(sentence));
    const QString most = sentence.section("in batches of ", 2).section(' ', 0, 0);
    QCOMPARE(QString::fromStdString(outcome(kEnough / 4, most.toULongLong())), QString());
}

/// Before the first step, if all rows are known.
void TstDeviceSequences::looksForTheLongestRowFirst()
{
    features::EncodedDataset table(toyLayout(), {});
    std::vector<std::int64_t> steps(kSequenceRows, 3);
    steps.back() = 3000;
    VERIFY_OK(table.append(sequenceRows(false, steps, 1)));
    EmulatedDevice device({.memoryBytes = std::int64_t{4} << 20});
    const auto model = toyModel(recurrentNetwork("lstm"), {.seed = 5, .accelerator = &device});
    VERIFY_OK(model);
    VERIFY_ERROR((*model)->device()->setTable(table, {}), "gpu.out_of_memory");
}

CANNERY_TEST(TstDeviceSequences)
#include "tst_device_sequences.moc"
