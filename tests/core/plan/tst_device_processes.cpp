// SPDX-License-Identifier: Apache-2.0
#include "core/features/encoded_dataset.h"
#include "core/plan/device/device_training.h"
#include "core/plan/last_step.h"
#include "core/plan/step_trace.h"
#include "kernels/accelerator/errors.h"
#include "tests/core/plan/device_cluster.h"
#include "tests/core/plan/device_group.h"
#include "tests/core/plan/device_model.h"
#include "tests/support/recording_runtime/recorded_accelerator.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <array>
#include <cmath>

using namespace cannery;
using namespace cannery::tests;

using StepRows = std::vector<std::vector<std::int64_t>>;

/// What processes with GPUs of their own learn together.
class TstDeviceProcesses : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void giveTheBitsOfOneProcess_data();
    void giveTheBitsOfOneProcess();
    void takeSeveralStepsAtOnce_data();
    void takeSeveralStepsAtOnce();
    void giveTheSameBitsByTheAcceleratorOfCuda();
    void measureWhatOneWants();
    void takeAsManyStepsAsTheFewestWanted();
    void takeNoStepThatOneVotesAgainst();
    void endWhenOneIsLostInAStep();
    void endWhenOneIsLostBeforeAStep();
    void refuseWhatHasNoId();
};

namespace {

constexpr int kStepsTogether = 6;
/// The allocation of a table, after that of the model's state.
constexpr std::int64_t kTableOfProcess = 2;
constexpr const char* kSequences =
    "rnn_classifier { sequence_feature_columns: ['path', 'word_table'] context_feature_columns: "
    "['x', 'many_table'] units: 5 cell_type: lstm optimizer { adagrad {} } }";
constexpr const char* kSteadySteps =
    "rnn_classifier { sequence_feature_columns: ['path', 'word_table'] units: 5 cell_type: gru "
    "return_sequences: true optimizer { adagrad {} } }";

/// Rows whose sequences and numbers of ids differ, fewer for later members and at the end.
Batches unevenBatches(std::int64_t step, std::int64_t first, std::int64_t count, bool areLabelled)
{
    Batches batches;
    for (std::int64_t shard = first; shard < first + count; ++shard) {
        const auto seed = static_cast<std::uint64_t>(step * 100 + shard);
        const std::int64_t rows = kShardRows - (step + 1 == kStepsTogether ? 5 * shard + 1 : 0);
        batches.push_back(areLabelled ? stepRows(rows, seed) : toyRows(rows, seed));
        std::vector<std::int64_t> lengths;
        for (std::int64_t row = 0; row < rows; ++row) {
            lengths.push_back((row * 7 + step) % (3 + 20 * ((step + shard) % 2)));
        }
        setSteps(batches.back(), lengths, seed);
    }
    return batches;
}

struct Outcome
{
    std::vector<std::byte> state;
    std::vector<double> losses;

    bool operator==(const Outcome&) const = default;
};

Outcome trainedTogether(plan::Model& model, std::int64_t first, std::int64_t count,
                        bool areLabelled)
{
    Outcome outcome;
    for (std::int64_t step = 0; step < kStepsTogether; ++step) {
        const auto loss = model.train(unevenBatches(step, first, count, areLabelled), step);
        const bool isTrained = loss && *loss;
        THREAD_VERIFY(isTrained);
        outcome.losses.push_back(isTrained ? **loss : 0);
    }
    outcome.state = allState(model);
    return outcome;
}

features::EncodedDataset tableOf(const std::string& kind)
{
    features::InputLayout layout = kind == "one id" ? singleIdLayout() : toyLayout();
    layout.labelledSteps = kind == "labelled" ? layout.slotOf("path") : -1;
    features::EncodedDataset table(layout, {});
    const features::EncodedRows rows = kind == "one id"     ? singleIdRows(200, 3)
                                       : kind == "labelled" ? stepRows(200, 3)
                                                            : toyRows(200, 3);
    CANNERY_CHECK(table.append(rows).has_value());
    return table;
}

std::vector<std::int64_t> rowsAt(std::int64_t step, std::size_t rank)
{
    std::vector<std::int64_t> rows;
    const std::int64_t count = 9 + step * 5 - static_cast<std::int64_t>(rank) * (step % 2);
    for (std::int64_t row = 0; row < count; ++row) {
        rows.push_back((row * 7 + step * 31 + static_cast<std::int64_t>(rank) * 13) % 200);
    }
    return rows;
}

/// All steps of rowsAt(), some at once; empty if one of them failed.
std::vector<double> queuedAtOnce(plan::Model& model, std::int64_t atOnce,
                                 const std::function<StepRows(std::int64_t)>& rowsOf)
{
    std::vector<double> losses;
    std::vector<StepRows> rows(static_cast<std::size_t>(atOnce));
    for (std::int64_t step = 0; step < kStepsTogether; step += atOnce) {
        THREAD_VERIFY(model.device()->agreeOnSteps(atOnce) == atOnce);
        for (std::int64_t next = 0; next < atOnce; ++next) {
            rows[static_cast<std::size_t>(next)] = rowsOf(step + next);
            THREAD_VERIFY(model.device()
                              ->queue(rows[static_cast<std::size_t>(next)], step + next)
                              .has_value());
        }
        const auto finished = model.device()->finish();
        THREAD_VERIFY(finished.has_value());
        if (finished) {
            losses.insert(losses.end(), finished->begin(), finished->end());
        }
    }
    return losses;
}

} // namespace

void TstDeviceProcesses::giveTheBitsOfOneProcess_data()
{
    QTest::addColumn<QString>("estimator");
    QTest::addColumn<int>("processes");
    QTest::addColumn<int>("gpus");
    for (const std::string& name : toyNames()) {
        QTest::newRow(name.c_str()) << QString::fromStdString(toyEstimator(name)) << 2 << 1;
    }
    QTest::newRow("three") << kDropout << 3 << 1;
    QTest::newRow("two of each") << QString::fromStdString(tableNetwork("adam {}")) << 2 << 2;
    QTest::newRow("sequences") << kSequences << 3 << 1;
    QTest::newRow("every step") << kSteadySteps << 2 << 1;
    QTest::newRow("across") << kWide << 3 << 1;
    QTest::newRow("across two of each") << kWide << 2 << 2;
}

void TstDeviceProcesses::giveTheBitsOfOneProcess()
{
    QFETCH(QString, estimator);
    QFETCH(int, processes);
    QFETCH(int, gpus);
    const Cluster cluster{.estimator = estimator.toStdString(),
                          .processes = processes,
                          .gpusOfEach = gpus,
                          .isAcross = estimator == kWide};
    const bool areLabelled = estimator.contains("return_sequences");
    const DeviceGroup together(static_cast<std::int64_t>(processes) * gpus);
    plan::ModelOptions options = onCpu(together.size());
    options.sharding.isAcross = cluster.isAcross;
    const auto one = toyModel(cluster.estimator, together.place(options, kShardRows));
    VERIFY_OK(one);
    const Outcome expected = trainedTogether(**one, 0, together.size(), areLabelled);
    std::vector<Outcome> outcomes(static_cast<std::size_t>(processes));
    runAll(cluster, [&](const Process& process) {
        outcomes[process.rank] = trainedTogether(
            process.model, static_cast<std::int64_t>(process.rank) * gpus, gpus, areLabelled);
    });
    for (const Outcome& outcome : outcomes) {
        QCOMPARE(outcome.losses, expected.losses);
        QVERIFY(outcome.state == expected.state);
    }
}

void TstDeviceProcesses::takeSeveralStepsAtOnce_data()
{
    QTest::addColumn<QString>("estimator");
    QTest::addColumn<std::string>("table");
    QTest::addColumn<bool>("oneHasNoRoom"); // for the table
    for (const bool hasNoRoom : {false, true}) {
        const char* const where = hasNoRoom ? "no room in one process" : "on every device";
        QTest::addRow("one id, %s", where) << kDropout << std::string("one id") << hasNoRoom;
        QTest::addRow("many ids, %s", where)
            << QString::fromStdString(tableNetwork("adam {}")) << std::string("many") << hasNoRoom;
        QTest::addRow("sequences, %s", where) << kSequences << std::string("many") << hasNoRoom;
        QTest::addRow("labelled steps, %s", where)
            << kSteadySteps << std::string("labelled") << hasNoRoom;
    }
}

void TstDeviceProcesses::takeSeveralStepsAtOnce()
{
    QFETCH(QString, estimator);
    QFETCH(std::string, table);
    QFETCH(bool, oneHasNoRoom);
    const features::EncodedDataset rows = tableOf(table);
    const DeviceGroup together(2);
    const auto one = toyModel(estimator.toStdString(), together.place(onCpu(2), kShardRows));
    VERIFY_OK(one);
    VERIFY_OK((*one)->device()->setTable(rows, {}));
    Outcome expected;
    expected.losses = queuedAtOnce(**one, 1, [](std::int64_t step) {
        return StepRows{rowsAt(step, 0), rowsAt(step, 1)};
    });
    expected.state = allState(**one);
    std::vector<Outcome> outcomes(2);
    runAll({.estimator = estimator.toStdString(),
            .failAllocation = oneHasNoRoom ? kTableOfProcess : 0,
            .table = &rows},
           [&](const Process& process) {
               THREAD_VERIFY((process.model.device()->tableBytes() == 0) ==
                             oneHasNoRoom); // in all alike
               Outcome& outcome = outcomes[process.rank];
               outcome.losses = queuedAtOnce(process.model, 3, [&](std::int64_t step) {
                   return StepRows{rowsAt(step, process.rank)};
               });
               outcome.state = allState(process.model);
           });
    for (const Outcome& outcome : outcomes) {
        QCOMPARE(outcome.losses, expected.losses);
        QVERIFY(outcome.state == expected.state);
    }
}

void TstDeviceProcesses::giveTheSameBitsByTheAcceleratorOfCuda()
{
    const features::EncodedDataset table = tableOf("many");
    const auto statesOf = [&](const Cluster& cluster) {
        std::vector<std::vector<std::byte>> states(2);
        runAll(cluster, [&](const Process& process) {
            plan::StepTrace trace;
            process.model.lastStep().wantGradientNorm(process.rank == 0);
            process.model.trace(process.rank == 0 ? &trace : nullptr);
            queuedAtOnce(process.model, 1,
                         [&](std::int64_t step) { return StepRows{rowsAt(step, process.rank)}; });
            process.model.trace(nullptr);
            process.model.lastStep().wantGradientNorm(false);
            queuedAtOnce(process.model, 3,
                         [&](std::int64_t step) { return StepRows{rowsAt(step, process.rank)}; });
            states[process.rank] = allState(process.model);
        });
        return states;
    };
    const auto expected = statesOf({.estimator = tableNetwork("adam {}"), .table = &table});
    for (const RunOrder order : {RunOrder::FirstStream, RunOrder::LastStream}) {
        std::vector<RuntimeJournal> journals(2);
        const auto states =
            statesOf({.estimator = tableNetwork("adam {}"),
                      .table = &table,
                      .device = [&](std::int64_t rank) {
                          auto device = recordedAccelerator(
                              journals[static_cast<std::size_t>(rank)], {.order = order});
                          THREAD_REQUIRE(device.has_value());
                          return *std::move(device);
                      }});
        QVERIFY(states == expected);
        for (const RuntimeJournal& journal : journals) {
            QCOMPARE(journal.mistakes, std::vector<std::string>());
            QCOMPARE(journal.leaks, 0);
            QCOMPARE(journal.count(RuntimeCall::Leave), 1);
            for (const RuntimeCall call :
                 {RuntimeCall::BeginCapture, RuntimeCall::Launch, RuntimeCall::Run}) {
                QCOMPARE(journal.count(call), journals.front().count(call)); // NCCL's rule
            }
        }
    }
}

/// Batches grow meanwhile.
void TstDeviceProcesses::measureWhatOneWants()
{
    const features::EncodedDataset table = tableOf("many");
    std::vector<std::vector<std::byte>> states(2);
    runAll({.estimator = tableNetwork("adam {}"), .table = &table}, [&](const Process& process) {
        for (std::int64_t step = 0; step < kStepsTogether; ++step) {
            process.model.lastStep().wantGradientNorm(process.rank == 0 && step % 3 == 1);
            THREAD_VERIFY(process.model.device()->agreeOnSteps(1) == 1);
            const StepRows rows{rowsAt(step, process.rank)};
            THREAD_VERIFY(process.model.device()->queue(rows, step).has_value() &&
                          process.model.device()->finish().has_value());
            THREAD_VERIFY(process.model.lastStep().gradientNorm().has_value() == (step % 3 == 1));
        }
        states[process.rank] = allState(process.model);
    });
    QVERIFY(states[0] == states[1]);
}

void TstDeviceProcesses::takeAsManyStepsAsTheFewestWanted()
{
    std::vector<std::int64_t> agreed(3);
    runAll({.estimator = kDense, .processes = 3}, [&](const Process& process) {
        agreed[process.rank] =
            process.model.device()->agreeOnSteps(process.rank == 1 ? 4 : 60).value_or(-1);
    });
    QCOMPARE(agreed, (std::vector<std::int64_t>{4, 4, 4}));
    EmulatedDevice device;
    const auto alone = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(alone);
    QVERIFY((*alone)->device()->agreeOnSteps(60) == 60);
}

void TstDeviceProcesses::takeNoStepThatOneVotesAgainst()
{
    std::vector<float> votes(2);
    std::array<bool, 2> isUntouched{};
    runAll({.estimator = kDropout}, [&](const Process& process) {
        const std::vector<std::byte> before = allState(process.model);
        if (process.rank == 1) {
            THREAD_VERIFY(process.model.voteAgainstStep(65536).has_value());
        } else {
            const auto loss = process.model.train(unevenBatches(0, 0, 1, false), 0);
            THREAD_VERIFY(loss.has_value() && !loss->has_value());
        }
        votes[process.rank] = process.model.lastStep().votes();
        isUntouched[process.rank] = allState(process.model) == before;
    });
    QCOMPARE(votes, (std::vector<float>{65536, 65536}));
    QCOMPARE(isUntouched, (std::array{true, true}));
}

/// A third process, say, while these two take a step.
void TstDeviceProcesses::endWhenOneIsLostInAStep()
{
    const features::EncodedDataset table = tableOf("one id");
    std::vector<std::string> errors(2);
    std::vector<std::string> later(2);
    runAll({.estimator = kDropout, .table = &table}, [&](const Process& process) {
        THREAD_VERIFY(process.model.device()->agreeOnSteps(1) == 1);
        const StepRows rows{rowsAt(0, process.rank)};
        THREAD_VERIFY(process.model.device()->queue(rows, 0).has_value());
        std::vector<double> none(2);
        process.group.gather(process.rank, none); // both are in it
        if (process.rank == 1) {
            process.group.lose();
        }
        const auto losses = process.model.device()->finish();
        errors[process.rank] = losses ? "" : losses.error().id;
        const auto more = process.model.device()->agreeOnSteps(1);
        later[process.rank] = more ? "" : more.error().id;
        THREAD_VERIFY(!process.model.device()->bringState()); // nobody saves what it was before
    });
    const std::string expected(kernels::kGroupLost.id);
    QCOMPARE(errors, (std::vector<std::string>{expected, expected}));
    QCOMPARE(later, (std::vector<std::string>{expected, expected}));
}

void TstDeviceProcesses::endWhenOneIsLostBeforeAStep()
{
    std::vector<std::string> errors(2);
    std::array<bool, 2> isUntouched{};
    runAll({.estimator = kDropout}, [&](const Process& process) {
        THREAD_VERIFY(process.model.train(unevenBatches(0, 0, 1, false), 0).has_value());
        const std::vector<std::byte> before = allState(process.model);
        if (process.rank == 0) {
            process.group.lose();
        }
        const auto steps = process.model.device()->agreeOnSteps(1);
        errors[process.rank] = steps ? "" : steps.error().id;
        isUntouched[process.rank] = allState(process.model) == before;
    });
    QCOMPARE(errors, (std::vector<std::string>{"plan.process_lost", "plan.process_lost"}));
    QCOMPARE(isUntouched, (std::array{true, true})); // what there is can be saved
}

void TstDeviceProcesses::refuseWhatHasNoId()
{
    ProcessGroup group(1);
    GroupExchange exchange(group, 0);
    EmulatedDevice device;
    const auto model =
        toyModel(kDense, {.sharding = {.total = 1}, .exchange = &exchange, .accelerator = &device});
    VERIFY_OK(model);
    VERIFY_ERROR((*model)->device()->meetProcesses([]() -> Result<kernels::GroupId> {
        return fail(ErrorCode::FailedPrecondition, kernels::kNoNccl, "not there");
    }),
                 "gpu.no_nccl");
}

CANNERY_TEST(TstDeviceProcesses)
#include "tst_device_processes.moc"
