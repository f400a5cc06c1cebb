// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emulated_device/emulated_device.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstring>

using namespace cannery;
using namespace cannery::kernels;
using namespace cannery::tests;

/// The device that other tests rely on: it is late, and finds its caller's mistakes.
class TstEmulatedDevice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runsNothingBeforeItIsWaitedFor();
    void findsPinnedMemoryThatIsWrittenDuringItsCopy();
    void waitsForAMarkAndNothingBehindIt();
    void downloadsToPlainMemoryAtOnce();
    void aCopyWithoutAWaitIsFound();
    void aCopyThatWaitsIsInOrder();
    void refusesMemoryOfTheHost();
    void refusesAGraphWhoseMemoryIsFreed();
    void saysWhatMemoryIsFree();
    void failsTheAllocationAskedFor();
    void isLostAtTheLaunchAskedForAndStaysLost();
    void timesEveryOperation();
    void findsMemoryThatAnOperationDoesNotName();
};

namespace {

std::byte* bytesOf(const std::unique_ptr<AcceleratorMemory>& memory)
{
    return memory->data();
}

float* floatsOf(const std::unique_ptr<AcceleratorMemory>& memory)
{
    return reinterpret_cast<float*>(memory->data());
}

FillValues fillOf(const std::unique_ptr<AcceleratorMemory>& memory, float value)
{
    const auto count = memory->bytes() / std::int64_t{sizeof(float)};
    return {.dst = {floatsOf(memory), 1, count, count}, .value = value};
}

std::string failureOf(const Result<void>& result)
{
    return result ? "" : result.error().sentence;
}

} // namespace

void TstEmulatedDevice::runsNothingBeforeItIsWaitedFor()
{
    EmulatedDevice device;
    const auto memory = *device.allocate(8);
    const auto host = *device.allocatePinned(8);
    const auto graph = *device.prepare(std::vector<Operation>{fillOf(memory, 3.0F)});
    device.launch(*graph);
    device.download(Queue::Compute, host->data(), memory->data(), 8);
    QCOMPARE(floatsOf(host)[1], 0.0F);
    QVERIFY(device.synchronize());
    QCOMPARE(floatsOf(host)[1], 3.0F);
}

void TstEmulatedDevice::findsPinnedMemoryThatIsWrittenDuringItsCopy()
{
    EmulatedDevice device;
    const auto memory = *device.allocate(4);
    const auto host = *device.allocatePinned(4);
    device.upload(Queue::Copy, bytesOf(memory), host->data(), 4);
    floatsOf(host)[0] = 2.0F;
    QVERIFY(failureOf(device.synchronize()).find("its copy is under way") != std::string::npos);
}

void TstEmulatedDevice::waitsForAMarkAndNothingBehindIt()
{
    EmulatedDevice device;
    const auto memory = *device.allocate(8);
    const auto host = *device.allocatePinned(8);
    const auto other = *device.allocatePinned(4);
    const auto graph = *device.prepare(std::vector<Operation>{fillOf(memory, 3.0F)});
    device.launch(*graph);
    device.wait(Queue::Copy, device.mark(Queue::Compute));
    floatsOf(host)[0] = 1.0F;
    device.upload(Queue::Copy, bytesOf(memory), host->data(), 4);
    const QueueMark isUp = device.mark(Queue::Copy);
    device.download(Queue::Copy, other->data(), bytesOf(memory), 4);
    QVERIFY(device.wait(isUp));
    floatsOf(host)[0] = 2.0F;
    QCOMPARE(floatsOf(other)[0], 0.0F);
    QVERIFY(device.synchronize());
    QCOMPARE(floatsOf(other)[0], 1.0F);
}

void TstEmulatedDevice::downloadsToPlainMemoryAtOnce()
{
    EmulatedDevice device;
    const auto memory = *device.allocate(4);
    float value = 5.0F;
    device.upload(Queue::Compute, bytesOf(memory), &value, 4);
    value = 0;
    device.download(Queue::Compute, &value, memory->data(), 4);
    QCOMPARE(value, 5.0F);
}

void TstEmulatedDevice::aCopyWithoutAWaitIsFound()
{
    EmulatedDevice device;
    const auto memory = *device.allocate(8);
    const auto host = *device.allocatePinned(8);
    const auto graph = *device.prepare(std::vector<Operation>{fillOf(memory, 3.0F)});
    device.launch(*graph);
    device.upload(Queue::Copy, bytesOf(memory) + 4, host->data(), 4);
    QVERIFY(failureOf(device.synchronize()).find("neither waits for the other") !=
            std::string::npos);
}

void TstEmulatedDevice::aCopyThatWaitsIsInOrder()
{
    EmulatedDevice device;
    const auto memory = *device.allocate(8);
    const auto host = *device.allocatePinned(8);
    const auto graph = *device.prepare(std::vector<Operation>{fillOf(memory, 3.0F)});
    floatsOf(host)[0] = 1.0F;
    device.launch(*graph);
    device.wait(Queue::Copy, device.mark(Queue::Compute));
    device.upload(Queue::Copy, bytesOf(memory) + 4, host->data(), 4);
    device.wait(Queue::Compute, device.mark(Queue::Copy));
    device.download(Queue::Compute, host->data(), memory->data(), 8);
    QVERIFY(device.synchronize());
    QCOMPARE(floatsOf(host)[0], 3.0F);
    QCOMPARE(floatsOf(host)[1], 1.0F);
    QCOMPARE(device.calls().back().kind, EmulatedCall::Kind::Synchronize);
}

void TstEmulatedDevice::refusesMemoryOfTheHost()
{
    EmulatedDevice device;
    const auto memory = *device.allocate(8);
    float host = 0;
    FillValues fill = fillOf(memory, 1.0F);
    const Operation good = fill;
    fill.dst.cols = 3; // one more than there are
    for (const Operation& bad :
         std::vector<Operation>{fill, FillValues{.dst = {&host, 1, 1, 1}, .value = 1.0F}}) {
        const auto graph = device.prepare(std::vector<Operation>{good, bad});
        QVERIFY(!graph);
        QVERIFY(graph.error().sentence.find("operation 1 (fill) writes") != std::string::npos);
    }
}

void TstEmulatedDevice::refusesAGraphWhoseMemoryIsFreed()
{
    EmulatedDevice device;
    auto memory = *device.allocate(8);
    const auto graph = *device.prepare(std::vector<Operation>{fillOf(memory, 3.0F)});
    memory.reset();
    device.launch(*graph);
    QVERIFY(failureOf(device.synchronize()).find("freed") != std::string::npos);
}

void TstEmulatedDevice::saysWhatMemoryIsFree()
{
    EmulatedDevice device({.memoryBytes = 1'000'000});
    const auto memory = *device.allocate(500'000);
    const auto more = device.allocate(500'001);
    QVERIFY(!more);
    QCOMPARE(more.error().id, std::string("gpu.out_of_memory"));
    QCOMPARE(device.use().usedBytes, std::int64_t{500'000});
}

void TstEmulatedDevice::failsTheAllocationAskedFor()
{
    EmulatedDevice device({.failAllocation = 2});
    const auto first = device.allocate(8);
    QVERIFY(first);
    QCOMPARE(device.allocate(8).error().id, std::string("gpu.out_of_memory"));
    QVERIFY(device.allocate(8));
}

void TstEmulatedDevice::isLostAtTheLaunchAskedForAndStaysLost()
{
    EmulatedDevice device({.loseAtLaunch = 2});
    const auto memory = *device.allocate(8);
    const auto graph = *device.prepare(std::vector<Operation>{fillOf(memory, 3.0F)});
    device.launch(*graph);
    QVERIFY(device.synchronize());
    device.launch(*graph);
    QCOMPARE(device.synchronize().error().id, std::string("gpu.lost"));
    QCOMPARE(device.synchronize().error().id, std::string("gpu.lost"));
}

void TstEmulatedDevice::timesEveryOperation()
{
    EmulatedDevice device;
    const auto memory = *device.allocate(8);
    const auto graph =
        *device.prepare(std::vector<Operation>{fillOf(memory, 3.0F), fillOf(memory, 4.0F)});
    const auto times = *device.launchTimed(*graph);
    QCOMPARE(times.size(), 2U);
    QCOMPARE(times[1].operation, 1U);
    float value = 0;
    device.download(Queue::Compute, &value, memory->data(), 4);
    QCOMPARE(value, 4.0F);
}

/// Rows beyond the matrix that is named.
void TstEmulatedDevice::findsMemoryThatAnOperationDoesNotName()
{
    const auto failureAt = [](std::int64_t row, bool writes) {
        EmulatedDevice device({.watches = true});
        const auto table = *device.allocate(64);
        const auto other = *device.allocate(64);
        const auto index = *device.allocate(sizeof(std::int64_t));
        const auto cursor = *device.allocate(sizeof(std::int64_t));
        device.upload(Queue::Compute, index->data(), &row, sizeof(row));
        const MatrixView named{floatsOf(table), 2, 2, 2};
        const MatrixView one{floatsOf(other), 1, 2, 2};
        const std::int64_t count = 1;
        device.upload(Queue::Compute, cursor->data(), &count, writes ? sizeof(count) : 0);
        Operation operation = GatherRows{
            .table = named,
            .index = {index->data(), 0, reinterpret_cast<std::int64_t*>(cursor->data()), 0},
            .dst = one};
        if (writes) {
            operation =
                ScatterAdd{.gradient = {.rows = reinterpret_cast<std::int32_t*>(index->data()),
                                        .values = one.data,
                                        .count = reinterpret_cast<std::int64_t*>(cursor->data()),
                                        .capacity = 1,
                                        .cols = 2,
                                        .tableRows = 4},
                           .dense = named};
            const float values[2] = {1, 2};
            device.upload(Queue::Compute, other->data(), values, sizeof(values));
        }
        const auto graph = *device.prepare(std::vector<Operation>{operation});
        device.launch(*graph);
        return failureOf(device.synchronize());
    };
    QCOMPARE(failureAt(1, false), std::string());
    QVERIFY(failureAt(3, false).find("gather_rows reads memory") != std::string::npos);
    QCOMPARE(failureAt(1, true), std::string());
    QVERIFY(failureAt(3, true).find("scatter_add writes memory") != std::string::npos);
}

CANNERY_TEST(TstEmulatedDevice)
#include "tst_emulated_device.moc"
