// SPDX-License-Identifier: Apache-2.0
#include "core/plan/last_step.h"
#include "core/plan/step_trace.h"
#include "kernels/accelerator/errors.h"
#include "tests/core/plan/device_group.h"
#include "tests/core/plan/device_model.h"
#include "tests/core/plan/shard_training.h"
#include "tests/support/recording_runtime/recorded_accelerator.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <cmath>

using namespace cannery;
using namespace cannery::tests;

/// What replicas on several GPUs learn, against as many on the CPU.
class TstDeviceReplicas : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void followReplicasOfTheCpu_data();
    void followReplicasOfTheCpu();
    void followThemByEveryOptimizer_data();
    void followThemByEveryOptimizer();
    void followThemWithEveryHead_data();
    void followThemWithEveryHead();
    void followThemWithSequences_data();
    void followThemWithSequences();
    void followThemAtEveryStep_data();
    void followThemAtEveryStep();
    void batchesNeedNotHaveTheSameSize_data();
    void batchesNeedNotHaveTheSameSize();
    void giveTheSameBitsTwice_data() { addToyRows(); }
    void giveTheSameBitsTwice();
    void giveTheSameBitsByTheAcceleratorOfCuda();
    void goOnWhereTheCpuStopped();
    void measureTheNormOfTheSum();
    void tellWhereTheTimeOfExchangesGoes();
    void endWhenOneOfThemIsLost_data();
    void endWhenOneOfThemIsLost();
};

namespace {

constexpr const char* kDecayingAdam =
    "adam {} learning_rate_schedule { exponential_decay { learning_rate: 0.1 decay_steps: 2 "
    "decay_rate: 0.5 } } decay: 0.1";

std::vector<double> trained(plan::Model& model, std::int64_t first, std::int64_t end,
                            std::int64_t replicas)
{
    std::vector<double> losses;
    for (std::int64_t step = first; step < end; ++step) {
        losses.push_back(lossOf(model, batchesOf(step, replicas, 0, 1), step));
    }
    return losses;
}

std::string replicaDifference(const std::string& estimator, std::int64_t replicas,
                              std::int64_t fewer = 0, std::int64_t labelWidth = 1)
{
    return differenceAfter(estimator, onCpu(replicas), [&](std::int64_t step) {
        return batchesOf(step, replicas, fewer, labelWidth);
    });
}

std::string recurrent(const std::string& cell)
{
    return "rnn_classifier { sequence_feature_columns: ['path', 'word_table'] "
           "context_feature_columns: ['x', 'one_table'] units: [5, 4] optimizer { adagrad {} } "
           "cell_type: " +
           cell + " }";
}

} // namespace

void TstDeviceReplicas::followReplicasOfTheCpu_data()
{
    QTest::addColumn<QString>("estimator");
    QTest::addColumn<int>("replicas");
    for (const std::string& name : toyNames()) {
        QTest::newRow(name.c_str()) << QString::fromStdString(toyEstimator(name)) << 2;
    }
    for (const int replicas : {2, 3, 4}) {
        QTest::addRow("dropout, %d", replicas) << kDropout << replicas;
    }
    QTest::newRow("tables of four") << QString::fromStdString(tableNetwork("adam {}")) << 4;
}

void TstDeviceReplicas::followReplicasOfTheCpu()
{
    QFETCH(QString, estimator);
    QFETCH(int, replicas);
    QCOMPARE(QString::fromStdString(replicaDifference(estimator.toStdString(), replicas)),
             QString());
}

void TstDeviceReplicas::followThemByEveryOptimizer_data()
{
    QTest::addColumn<QString>("optimizer");
    for (const char* text :
         {"sgd { learning_rate: 0.1 momentum: 0.9 nesterov: true }",
          "adam { learning_rate: 0.01 amsgrad: true }", "nadam { learning_rate: 0.01 }",
          "rmsprop { learning_rate: 0.01 momentum: 0.5 centered: true }",
          "ftrl { learning_rate: 0.1 l1_regularization_strength: 0.01 }", kDecayingAdam,
          "adagrad { learning_rate: 0.1 } clipvalue: 0.01",
          "adagrad { learning_rate: 0.1 } clipnorm: 0.05",
          "adagrad { learning_rate: 0.1 } global_clipnorm: 0.05",
          "adam { learning_rate: 0.01 } moving_average_decay: 0.9"}) {
        QTest::newRow(text) << text;
    }
}

void TstDeviceReplicas::followThemByEveryOptimizer()
{
    QFETCH(QString, optimizer);
    QCOMPARE(
        QString::fromStdString(replicaDifference(tableNetwork(optimizer.toStdString()), kReplicas)),
        QString());
}

void TstDeviceReplicas::followThemWithEveryHead_data()
{
    QTest::addColumn<QString>("head");
    QTest::addColumn<int>("labelWidth");
    QTest::newRow("mean") << "binary_class_head {}" << 1;
    QTest::newRow("sum") << "binary_class_head { loss_reduction: SUM }" << 1;
    QTest::newRow("labels") << "multi_label_head { n_classes: 3 }" << 3;
    QTest::newRow("several")
        << "multi_head { heads { binary_class_head { name: 'a' } } heads { regression_head { name: "
           "'b' } } head_weights: [1, 0.25] }"
        << 2;
}

void TstDeviceReplicas::followThemWithEveryHead()
{
    QFETCH(QString, head);
    QFETCH(int, labelWidth);
    const std::string estimator =
        "dnn_estimator { head { " + head.toStdString() +
        " } feature_columns: ['x'] hidden_units: [8] optimizer { adagrad {} } }";
    QCOMPARE(QString::fromStdString(replicaDifference(estimator, kReplicas, 0, labelWidth)),
             QString());
}

void TstDeviceReplicas::followThemWithSequences_data()
{
    QTest::addColumn<QString>("cell");
    for (const char* cell : {"simple_rnn", "lstm", "gru"}) {
        QTest::newRow(cell) << cell;
    }
}

/// The longest rows of replicas differ, also by more than a program's room.
void TstDeviceReplicas::followThemWithSequences()
{
    QFETCH(QString, cell);
    const auto batchesAt = [](std::int64_t step) {
        Batches batches = batchesOf(step, kReplicas, 0, 1);
        for (std::int64_t replica = 0; replica < kReplicas; ++replica) {
            std::vector<std::int64_t> lengths;
            for (std::int64_t row = 0; row < kShardRows; ++row) {
                lengths.push_back((row * 7 + step) % (3 + 20 * ((step + replica) % 2)));
            }
            setSteps(batches[static_cast<std::size_t>(replica)], lengths,
                     static_cast<std::uint64_t>(step * 10 + replica));
        }
        return batches;
    };
    QCOMPARE(QString::fromStdString(
                 differenceAfter(recurrent(cell.toStdString()), onCpu(kReplicas), batchesAt)),
             QString());
}

void TstDeviceReplicas::followThemAtEveryStep_data()
{
    QTest::addColumn<QString>("options");
    QTest::addColumn<bool>("areWeighted");
    QTest::newRow("mean") << "lstm" << false;
    QTest::newRow("sum") << "gru loss_reduction: SUM" << false;
    QTest::newRow("weights") << "simple_rnn weight_column { feature: 'w' }" << true;
}

/// Each labelled step counts the same, however many a replica has. In one step, a replica has none.
void TstDeviceReplicas::followThemAtEveryStep()
{
    QFETCH(QString, options);
    QFETCH(bool, areWeighted);
    const auto batchesAt = [&](std::int64_t step) {
        Batches batches;
        for (std::int64_t replica = 0; replica < kReplicas; ++replica) {
            const auto seed = static_cast<std::uint64_t>(step * 10 + replica);
            features::EncodedRows& batch =
                batches.emplace_back(stepRows(kShardRows, seed, 1, areWeighted));
            if (replica == 1 && step == 2) {
                batch.weights.clear();
                setSteps(batch, std::vector<std::int64_t>(kShardRows, 0), seed);
            } else if (replica == 0 && !areWeighted) {
                std::vector<std::int64_t> lengths(kShardRows, 1);
                lengths[1] = 30;
                setSteps(batch, lengths, seed);
            }
        }
        return batches;
    };
    const std::string estimator = recurrent(options.toStdString() + " return_sequences: true");
    QCOMPARE(QString::fromStdString(differenceAfter(estimator, onCpu(kReplicas), batchesAt)),
             QString());
}

void TstDeviceReplicas::batchesNeedNotHaveTheSameSize_data()
{
    QTest::addColumn<QString>("estimator");
    QTest::newRow("tables") << QString::fromStdString(tableNetwork("adagrad {}"));
    QTest::newRow("sequences") << QString::fromStdString(recurrent("gru"));
}

void TstDeviceReplicas::batchesNeedNotHaveTheSameSize()
{
    QFETCH(QString, estimator);
    QCOMPARE(QString::fromStdString(replicaDifference(estimator.toStdString(), 3, 7)), QString());
}

void TstDeviceReplicas::giveTheSameBitsTwice()
{
    QFETCH(QString, name);
    std::vector<std::byte> first;
    for (int run = 0; run < 2; ++run) {
        const DeviceGroup group(kReplicas);
        const auto model =
            toyModel(toyEstimator(name.toStdString()), group.place(onCpu(kReplicas), kShardRows));
        VERIFY_OK(model);
        trained(**model, 0, kReplicaSteps, kReplicas);
        if (run == 0) {
            first = allState(**model);
        }
        QVERIFY(allState(**model) == first);
    }
}

void TstDeviceReplicas::giveTheSameBitsByTheAcceleratorOfCuda()
{
    const auto stateOf = [](const DeviceGroup& group) {
        const auto model =
            toyModel(tableNetwork("adam {}"), group.place(onCpu(group.size()), kShardRows));
        CANNERY_CHECK(model.has_value());
        trained(**model, 0, kReplicaSteps, group.size());
        return allState(**model);
    };
    for (const RunOrder order : {RunOrder::FirstStream, RunOrder::LastStream}) {
        std::vector<RuntimeJournal> journals(kReplicas);
        {
            std::vector<std::unique_ptr<kernels::Accelerator>> devices;
            for (RuntimeJournal& journal : journals) {
                const RecordingOptions options{.order = order};
                devices.push_back(*recordedAccelerator(journal, options));
            }
            const DeviceGroup group(std::move(devices));
            QVERIFY(stateOf(group) == stateOf(DeviceGroup(kReplicas)));
        }
        for (const RuntimeJournal& journal : journals) {
            QCOMPARE(journal.mistakes, std::vector<std::string>());
            QCOMPARE(journal.leaks, 0);
            QCOMPARE(journal.count(RuntimeCall::Leave), 1);
        }
    }
}

void TstDeviceReplicas::goOnWhereTheCpuStopped()
{
    const DeviceGroup group(kReplicas);
    const auto cpu = toyModel(kDropout, onCpu(kReplicas));
    const auto gpus = toyModel(kDropout, group.place(onCpu(kReplicas), kShardRows));
    const auto whole = toyModel(kDropout, onCpu(kReplicas));
    VERIFY_OK(cpu);
    VERIFY_OK(gpus);
    VERIFY_OK(whole);
    trained(**cpu, 0, 2, kReplicas);
    setFloatState(**gpus, floatState(**cpu));
    trained(**gpus, 2, 4, kReplicas);
    setFloatState(**cpu, floatState(**gpus));
    trained(**cpu, 4, 6, kReplicas);
    trained(**whole, 0, 6, kReplicas);
    QCOMPARE(QString::fromStdString(stateDifference(**whole, **cpu)), QString());
}

void TstDeviceReplicas::measureTheNormOfTheSum()
{
    const DeviceGroup group(kReplicas);
    const auto cpu = toyModel(tableNetwork("adam {}"), onCpu(kReplicas));
    const auto gpus = toyModel(tableNetwork("adam {}"), group.place(onCpu(kReplicas), kShardRows));
    VERIFY_OK(cpu);
    VERIFY_OK(gpus);
    for (const auto* const model : {&cpu, &gpus}) {
        (**model)->lastStep().wantGradientNorm(true);
        trained(***model, 0, 1, kReplicas);
    }
    const double expected = *(*cpu)->lastStep().gradientNorm();
    QVERIFY(std::abs(*(*gpus)->lastStep().gradientNorm() - expected) <= 1e-5 * expected);
}

void TstDeviceReplicas::tellWhereTheTimeOfExchangesGoes()
{
    const DeviceGroup group(kReplicas);
    const auto model = toyModel(tableNetwork("adam {}"), group.place(onCpu(kReplicas), kShardRows));
    VERIFY_OK(model);
    plan::StepTrace trace;
    (*model)->trace(&trace);
    trained(**model, 0, 1, kReplicas);
    (*model)->trace(nullptr);
    const std::vector<plan::TraceEvent> events = trace.take();
    const auto count = [&](const std::string& operation) {
        return std::ranges::count_if(events, [&](const plan::TraceEvent& event) {
            return event.phase == plan::TracePhase::Exchange && event.operation == operation;
        });
    };
    QCOMPARE(count("exchange_parts"), 1); // of the first device alone
    QCOMPARE(count("sum_parts"), 1);
    QVERIFY(count("gather_sparse") > 0);
}

void TstDeviceReplicas::endWhenOneOfThemIsLost_data()
{
    QTest::addColumn<int>("lost");
    QTest::newRow("the first") << 0;
    QTest::newRow("another") << 2;
}

void TstDeviceReplicas::endWhenOneOfThemIsLost()
{
    QFETCH(int, lost);
    std::vector<std::unique_ptr<kernels::Accelerator>> devices;
    for (int index = 0; index < 3; ++index) {
        devices.push_back(std::make_unique<EmulatedDevice>(
            EmulatedOptions{.loseAtLaunch = index == lost ? 3 : 0}, index));
    }
    const DeviceGroup group(std::move(devices));
    const auto model = toyModel(kDropout, group.place(onCpu(3), kShardRows));
    VERIFY_OK(model);
    trained(**model, 0, 2, 3);
    for (int i = 0; i < 2; ++i) {
        const auto failed = (*model)->train(batchesOf(2, 3, 0, 1), 2);
        VERIFY_ERROR(failed, "gpu.lost");
        QCOMPARE(failed.error().arguments.front(), std::to_string(lost));
    }
}

CANNERY_TEST(TstDeviceReplicas)
#include "tst_device_replicas.moc"
