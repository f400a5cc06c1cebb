// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/data/pipeline/pipeline.h"
#include "core/features/encoded_dataset.h"
#include "core/plan/device/device_training.h"
#include "core/plan/step_trace.h"
#include "tests/core/plan/device_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;

using Call = EmulatedCall::Kind;

/// Steps that are queued by the numbers of their rows.
class TstDeviceTable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesTheSameBitsAsStepsOneByOne_data();
    void givesTheSameBitsAsStepsOneByOne();
    void givesTheSameBitsWithoutTheTable_data() { givesTheSameBitsAsStepsOneByOne_data(); }
    void givesTheSameBitsWithoutTheTable();
    void putsRowsOfOneIdWhereTheyGoUpFrom_data();
    void putsRowsOfOneIdWhereTheyGoUpFrom();
    void bringsUpWhereIdsBeginOnce();
    void weighsRowsByClass();
    void bringsUpTheNumbersOfAllStepsAtOnce();
    void bringsUpBatchesBesideTheSteps();
    void waitsOnlyWhereTheShapeChanges();
    void takesMoreStepsThanAProgramHolds();
    void givesUpTheTableWhereMemoryIsShort();
    void leavesOutATableThatDoesNotFit();
    void keepsOneProgramWhereMemoryIsShort();
    void keepsTheStateBeforeALostLaunch();
    void tracesAStep();
};

namespace {

constexpr std::int64_t kTableRows = 150;
constexpr std::int64_t kBatchRows = 32;
constexpr int kQueuedSteps = 12;
/// Allocations of a device: the model's state, the table, the program of the first batch.
constexpr std::int64_t kOfTable = 2;
constexpr std::int64_t kOfProgram = 3;
/// Without a table.
constexpr std::int64_t kOfSecondProgram = 3;

features::EncodedDataset toyTable()
{
    features::EncodedDataset rows(toyLayout(), {});
    CANNERY_CHECK(rows.append(toyRows(kTableRows, 3)).has_value());
    return rows;
}

features::EncodedDataset tableOfSingleIds()
{
    features::EncodedDataset rows(singleIdLayout(), {});
    CANNERY_CHECK(rows.append(singleIdRows(kTableRows, 3)).has_value());
    return rows;
}

/// Row numbers of the first batches: shuffled, the last of each epoch shorter and one crossing it.
std::vector<std::vector<std::int64_t>> batches(int count)
{
    data::Pipeline pipeline(
        {.rows = kTableRows, .batchSize = kBatchRows, .shuffle = true, .seed = 9});
    std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(count));
    for (std::vector<std::int64_t>& rows : all) {
        pipeline.next(rows);
    }
    return all;
}

/// Losses of steps taken one after the other.
std::vector<double> oneByOne(plan::Model& model, const features::EncodedDataset& table,
                             const std::vector<std::vector<std::int64_t>>& all)
{
    std::vector<double> losses;
    for (const std::vector<std::int64_t>& rows : all) {
        features::EncodedRows batch;
        CANNERY_CHECK(table.gather(rows, batch).has_value());
        losses.push_back(model.train(batch, static_cast<std::int64_t>(losses.size())));
    }
    return losses;
}

Result<std::vector<double>> atOnce(plan::Model& model,
                                   const std::vector<std::vector<std::int64_t>>& all,
                                   std::int64_t first = 0)
{
    for (const std::vector<std::int64_t>& rows : all) {
        CANNERY_TRY(model.device()->queue(rows, first++));
    }
    CANNERY_TRY_ASSIGN(const std::span<const double> losses, model.device()->finish());
    return std::vector<double>(losses.begin(), losses.end());
}

/// Of batches, since the last time.
std::vector<std::int64_t> uploadedBytes(EmulatedDevice& device)
{
    std::vector<std::int64_t> bytes;
    for (const EmulatedCall& call : device.calls()) {
        if (call.kind == Call::Upload && call.queue == kernels::Queue::Copy) {
            bytes.push_back(call.bytes);
        }
    }
    device.forgetCalls();
    return bytes;
}

/// Steps at once on a device like this against steps one by one; empty: the same bits.
std::string bitDifference(const std::string& estimator, const EmulatedOptions& options,
                          plan::ModelOptions modelOptions = {},
                          const features::EncodedDataset& table = toyTable())
{
    EmulatedDevice plain;
    EmulatedDevice device(options);
    modelOptions.seed = 5;
    modelOptions.accelerator = &plain;
    const auto one = toyModel(estimator, modelOptions);
    modelOptions.accelerator = &device;
    const auto other = toyModel(estimator, modelOptions);
    if (!one || !other) {
        return (one ? other : one).error().message();
    }
    if (const auto isSet = (*other)->device()->setTable(table, {}); !isSet) {
        return isSet.error().message();
    }
    if (((*other)->device()->tableBytes() > 0) != (options.failAllocation == 0)) {
        return "the table is where it is not expected";
    }
    const auto losses = atOnce(**other, batches(kQueuedSteps));
    if (!losses) {
        return losses.error().message();
    }
    if (*losses != oneByOne(**one, table, batches(kQueuedSteps))) {
        return "losses";
    }
    return allState(**one) == allState(**other) ? "" : "state";
}

} // namespace

void TstDeviceTable::givesTheSameBitsAsStepsOneByOne_data()
{
    addToyRows();
}

void TstDeviceTable::givesTheSameBitsAsStepsOneByOne()
{
    QFETCH(QString, name);
    QCOMPARE(QString::fromStdString(bitDifference(toyEstimator(name.toStdString()), {})),
             QString());
}

void TstDeviceTable::givesTheSameBitsWithoutTheTable()
{
    QFETCH(QString, name);
    QCOMPARE(QString::fromStdString(
                 bitDifference(toyEstimator(name.toStdString()), {.failAllocation = kOfTable})),
             QString());
}

void TstDeviceTable::putsRowsOfOneIdWhereTheyGoUpFrom_data()
{
    QTest::addColumn<QString>("name");
    for (const std::string& name : toyNames()) {
        if (!name.starts_with("rnn")) {
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
        }
    }
}

void TstDeviceTable::putsRowsOfOneIdWhereTheyGoUpFrom()
{
    QFETCH(QString, name);
    const features::EncodedDataset table = tableOfSingleIds();
    QVERIFY(table.hasPlacesFor(batches(1).front()));
    QVERIFY(!toyTable().hasPlacesFor(batches(1).front()));
    QCOMPARE(QString::fromStdString(bitDifference(toyEstimator(name.toStdString()),
                                                  {.failAllocation = kOfTable}, {}, table)),
             QString());
}

/// For each of the two places on the device, and again after rows with any number of ids.
void TstDeviceTable::bringsUpWhereIdsBeginOnce()
{
    EmulatedDevice plain;
    EmulatedDevice device({.failAllocation = kOfTable});
    const features::EncodedDataset table = tableOfSingleIds();
    const auto expected = toyModel(tableNetwork("sgd {}"), {.seed = 5, .accelerator = &plain});
    const auto model = toyModel(tableNetwork("sgd {}"), {.seed = 5, .accelerator = &device});
    VERIFY_OK(expected);
    VERIFY_OK(model);
    VERIFY_OK((*expected)->device()->setTable(table, {}));
    VERIFY_OK((*model)->device()->setTable(table, {}));
    const std::int64_t begins = 2 * (kBatchRows + 1) * std::int64_t{sizeof(std::int64_t)};
    std::vector<std::vector<std::int64_t>> uploads;
    for (std::int64_t round = 0; round < 3; ++round) {
        for (plan::Model* const each : {expected->get(), model->get()}) {
            trainSteps(*each, 0, 1, kBatchRows);
        }
        uploadedBytes(device);
        const auto losses = atOnce(**model, batches(4), round);
        VERIFY_OK(losses);
        QCOMPARE(*losses, *atOnce(**expected, batches(4), round));
        uploads.push_back(uploadedBytes(device));
        QCOMPARE(uploads.back().size(), std::size_t{4});
    }
    QVERIFY(uploads[0][1] - uploads[0][3] >= begins);
    QCOMPARE(uploads[1][0], uploads[0][0]);
    QCOMPARE(uploads[1][1], uploads[0][3]);
    QCOMPARE(uploads[2], uploads[1]);
    QVERIFY(allState(**expected) == allState(**model));
}

void TstDeviceTable::weighsRowsByClass()
{
    plan::ModelOptions options;
    options.classWeights = {{.id = 0, .weight = 3.0F}, {.id = 1, .weight = 0.5F}};
    QCOMPARE(QString::fromStdString(bitDifference(kDense, {}, options)), QString());
    QCOMPARE(QString::fromStdString(
                 bitDifference(kDense, {.failAllocation = kOfTable}, options, tableOfSingleIds())),
             QString());
}

void TstDeviceTable::bringsUpTheNumbersOfAllStepsAtOnce()
{
    EmulatedDevice device;
    const features::EncodedDataset table = toyTable();
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    QCOMPARE((*model)->device()->mostQueued(), 0);
    VERIFY_OK((*model)->device()->setTable(table, {}));
    QVERIFY((*model)->device()->mostQueued() > kQueuedSteps);
    VERIFY_OK(atOnce(**model, batches(1)));
    device.forgetCalls();
    VERIFY_OK(atOnce(**model, batches(4), 1));
    QCOMPARE(countOf(device, Call::Upload), 1);
    QCOMPARE(countOf(device, Call::Launch), 4);
    QCOMPARE(countOf(device, Call::Download), 1);
    QCOMPARE(countOf(device, Call::Synchronize), 1);
    const std::int64_t numbers = 4 * kBatchRows * std::int64_t{sizeof(std::int64_t)};
    QVERIFY(device.calls().front().bytes > numbers);
}

void TstDeviceTable::bringsUpBatchesBesideTheSteps()
{
    EmulatedDevice device({.failAllocation = kOfTable});
    const features::EncodedDataset table = toyTable();
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    VERIFY_OK((*model)->device()->setTable(table, {}));
    VERIFY_OK(atOnce(**model, batches(3)));
    device.forgetCalls();
    VERIFY_OK(atOnce(**model, batches(4), 3));
    QCOMPARE(countOf(device, Call::Upload), 4);
    QCOMPARE(countOf(device, Call::Launch), 4);
    QCOMPARE(countOf(device, Call::Synchronize), 1);
    std::ptrdiff_t waits = 0;
    for (const EmulatedCall& call : device.calls()) {
        waits += call.kind == Call::Wait && call.queue == kernels::Queue::Copy ? 1 : 0;
    }
    QCOMPARE(waits, 2); // the third batch for the first step, the fourth for the second one
    QCOMPARE(countOf(device, Call::HostWait), 1); // the fourth batch lies where the first one did
}

void TstDeviceTable::waitsOnlyWhereTheShapeChanges()
{
    EmulatedDevice device;
    const features::EncodedDataset table = toyTable();
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    VERIFY_OK((*model)->device()->setTable(table, {}));
    std::vector<std::vector<std::int64_t>> all = batches(4);
    all.back().resize(7);
    VERIFY_OK(atOnce(**model, all));
    device.forgetCalls();
    const auto losses = atOnce(**model, all, 4);
    VERIFY_OK(losses);
    QCOMPARE(losses->size(), all.size());
    QCOMPARE(countOf(device, Call::Prepare), 0);
    QCOMPARE(countOf(device, Call::Synchronize), 2);
}

void TstDeviceTable::takesMoreStepsThanAProgramHolds()
{
    EmulatedDevice device;
    const features::EncodedDataset table = toyTable();
    const auto model = toyModel(kDense, {.accelerator = &device});
    const auto other = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    VERIFY_OK(other);
    VERIFY_OK((*model)->device()->setTable(table, {}));
    const auto many = batches(static_cast<int>((*model)->device()->mostQueued()) + 3);
    const auto losses = atOnce(**model, many);
    VERIFY_OK(losses);
    QVERIFY(*losses == oneByOne(**other, table, many));
}

void TstDeviceTable::givesUpTheTableWhereMemoryIsShort()
{
    EmulatedDevice plain;
    EmulatedDevice device({.failAllocation = kOfProgram});
    const features::EncodedDataset table = toyTable();
    const auto expected = toyModel(kDense, {.accelerator = &plain});
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(expected);
    VERIFY_OK(model);
    VERIFY_OK((*model)->device()->setTable(table, {}));
    const std::int64_t bytes = (*model)->device()->tableBytes();
    QVERIFY(bytes > 0);
    const std::int64_t before = device.use().usedBytes;
    const auto losses = atOnce(**model, batches(kQueuedSteps));
    VERIFY_OK(losses);
    QCOMPARE((*model)->device()->tableBytes(), 0);
    QVERIFY(device.use().usedBytes > before - bytes);
    QVERIFY(*losses == oneByOne(**expected, table, batches(kQueuedSteps)));
}

void TstDeviceTable::leavesOutATableThatDoesNotFit()
{
    const features::EncodedDataset table = toyTable();
    const auto bytesWith = [&](std::int64_t memory) {
        EmulatedDevice device({.memoryBytes = memory});
        const auto model = toyModel(kDense, {.accelerator = &device});
        CANNERY_CHECK(model.has_value() && (*model)->device()->setTable(table, {}).has_value());
        const auto losses = atOnce(**model, batches(kQueuedSteps));
        CANNERY_CHECK(losses.has_value() && losses->size() == std::size_t{kQueuedSteps});
        return (*model)->device()->tableBytes();
    };
    const auto fits = [](std::int64_t memory) {
        EmulatedDevice device({.memoryBytes = memory});
        return toyModel(kDense, {.accelerator = &device}).has_value();
    };
    std::int64_t least = 1024;
    while (!fits(least)) {
        least += 1024;
    }
    QVERIFY(bytesWith(10 * least) > 0);
    QCOMPARE(bytesWith(least), 0);
}

void TstDeviceTable::keepsOneProgramWhereMemoryIsShort()
{
    EmulatedDevice plain;
    EmulatedDevice device({.failAllocation = kOfSecondProgram});
    const auto expected = toyModel(kDense, {.accelerator = &plain});
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(expected);
    VERIFY_OK(model);
    for (const std::int64_t rows : {32, 5, 32}) {
        QCOMPARE(trainSteps(**model, 0, 1, rows), trainSteps(**expected, 0, 1, rows));
    }
    QCOMPARE(countOf(plain, Call::Prepare), 2);
    QCOMPARE(countOf(device, Call::Prepare), 3);
}

void TstDeviceTable::keepsTheStateBeforeALostLaunch()
{
    EmulatedDevice device({.loseAtLaunch = 6});
    const features::EncodedDataset table = toyTable();
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    VERIFY_OK((*model)->device()->setTable(table, {}));
    VERIFY_OK(atOnce(**model, batches(3)));
    const std::vector<std::byte> before = allState(**model);
    VERIFY_ERROR(atOnce(**model, batches(8), 3), "gpu.lost");
    QVERIFY(allState(**model) == before);
    VERIFY_ERROR(atOnce(**model, batches(1), 3), "gpu.lost");
}

void TstDeviceTable::tracesAStep()
{
    EmulatedDevice device;
    const features::EncodedDataset table = toyTable();
    const auto model = toyModel(kDense, {.accelerator = &device});
    VERIFY_OK(model);
    VERIFY_OK((*model)->device()->setTable(table, {}));
    plan::StepTrace trace;
    (*model)->trace(&trace);
    VERIFY_OK(atOnce(**model, batches(1)));
    (*model)->trace(nullptr);
    const std::vector<plan::TraceEvent> events = trace.take();
    QVERIFY(std::ranges::any_of(events, [](const plan::TraceEvent& event) {
        return event.phase == plan::TracePhase::Input && event.operation == "gather_rows";
    }));
}

CANNERY_TEST(TstDeviceTable)
#include "tst_device_table.moc"
