// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/errors.h"
#include "tests/kernels/cuda/cuda_case.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <optional>

using namespace cannery;
using namespace cannery::kernels;
using namespace cannery::tests;
using cannery::kernels::cuda::Outcome;

/// Every call to CUDA fails in every way, each time that it is made.
class TstCudaFaults : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyCallMayFail_data();
    void everyCallMayFail();
    void lossesAndFailuresHaveSentences();
    void hostMemoryThatCannotBeLockedIsNamed();
};

namespace {

/// Makes every call at least once. The first error, if any.
std::optional<Error> useAll(RuntimeJournal& journal, const RecordingOptions& options)
{
    auto device = openRecording(journal, options);
    if (!device) {
        return device.error();
    }
    Accelerator& gpu = **device;
    if (const auto joined = gpu.join({.id = EmulatedGroup::makeId(), .member = {}}); !joined) {
        return joined.error();
    }
    gpu.use();
    const auto memory = gpu.allocate(64);
    const auto other = gpu.allocate(64);
    const auto pinned = gpu.allocatePinned(64);
    if (!memory || !other || !pinned) {
        return !memory ? memory.error() : (other ? pinned.error() : other.error());
    }
    const auto graph = gpu.prepare(std::vector<Operation>{
        FillValues{rowOf(**memory), 1}, CopyValues{rowOf(**memory), rowOf(**memory), true},
        FillValues{rowOf(**other), 1}});
    if (!graph) {
        return graph.error();
    }
    for (int step = 0; step < 2; ++step) {
        gpu.upload(Queue::Copy, (*memory)->data(), (*pinned)->data(), 64);
        const QueueMark isCopied = gpu.mark(Queue::Copy);
        gpu.wait(Queue::Compute, isCopied);
        gpu.launch(**graph);
        if (const auto done = gpu.wait(isCopied); !done) {
            return done.error();
        }
        gpu.wait(Queue::Copy, gpu.mark(Queue::Compute));
        gpu.download(Queue::Copy, (*pinned)->data(), (*memory)->data(), 64);
        if (const auto done = gpu.synchronize(); !done) {
            return done.error();
        }
    }
    const auto times = gpu.launchTimed(**graph);
    return times ? std::nullopt : std::optional<Error>(times.error());
}

bool givesBack(RuntimeCall call)
{
    return call == RuntimeCall::Free || call == RuntimeCall::FreePinned ||
           call == RuntimeCall::DestroyStream || call == RuntimeCall::DestroyEvent ||
           call == RuntimeCall::DestroyGraph || call == RuntimeCall::DestroyExecutable ||
           call == RuntimeCall::Leave;
}

std::string idOf(Outcome outcome, RuntimeCall call)
{
    if (outcome == Outcome::Lost || outcome == Outcome::Unavailable) {
        return "gpu.lost";
    }
    if (outcome == Outcome::OutOfMemory && call == RuntimeCall::Allocate) {
        return "gpu.out_of_memory";
    }
    if (outcome == Outcome::OutOfMemory && call == RuntimeCall::AllocatePinned) {
        return "gpu.no_pinned_memory";
    }
    return call == RuntimeCall::Join ? "gpu.not_joined" : "gpu.failed";
}

} // namespace

void TstCudaFaults::everyCallMayFail_data()
{
    QTest::addColumn<int>("call");
    for (int call = 0; call < kRuntimeCalls; ++call) {
        QTest::addRow("%d", call) << call;
    }
}

void TstCudaFaults::everyCallMayFail()
{
    QFETCH(int, call);
    RuntimeJournal undisturbed;
    QVERIFY(!useAll(undisturbed, {}));
    QVERIFY(undisturbed.mistakes.empty());
    const auto kind = static_cast<RuntimeCall>(call);
    const std::int64_t times = undisturbed.count(kind);
    QVERIFY(times > 0);
    for (const Outcome outcome : {Outcome::Lost, Outcome::Failed, Outcome::OutOfMemory}) {
        for (std::int64_t at = 1; at <= times; ++at) {
            RuntimeJournal journal;
            const std::optional<Error> failure = useAll(journal, {.order = RunOrder::LastStream,
                                                                  .faultyCall = kind,
                                                                  .faultAt = at,
                                                                  .faultOutcome = outcome});
            QVERIFY2(journal.mistakes.empty(),
                     journal.mistakes.empty() ? "" : journal.mistakes.front().c_str());
            QVERIFY(outcome == Outcome::Lost || givesBack(kind) || journal.leaks == 0);
            // What fails when all is over is told to nobody.
            QVERIFY(failure || givesBack(kind));
            if (failure) {
                QCOMPARE(failure->id, idOf(outcome, kind));
            }
        }
    }
}

void TstCudaFaults::lossesAndFailuresHaveSentences()
{
    RuntimeJournal journal;
    auto device = *openRecording(
        journal, {.faultyCall = RuntimeCall::Launch, .faultAt = 2, .faultOutcome = Outcome::Lost});
    const auto memory = *device->allocate(4);
    const auto graph = *device->prepare(std::vector<Operation>{FillValues{rowOf(*memory), 1}});
    device->launch(*graph);
    VERIFY_OK(device->synchronize());
    device->launch(*graph);
    for (int i = 0; i < 2; ++i) {
        const auto lost = device->synchronize();
        QVERIFY(!lost);
        QCOMPARE(lost.error(),
                 error(ErrorCode::Unavailable, kGpuLost, 2, kTestGpu, "a fault of the test"));
    }
    VERIFY_ERROR(device->allocate(4), "gpu.lost");
    VERIFY_ERROR(device->allocatePinned(4), "gpu.lost");
    VERIFY_ERROR(device->prepare(std::vector<Operation>{}), "gpu.lost");
    VERIFY_ERROR(device->launchTimed(*graph), "gpu.lost");
    device->wait(Queue::Compute, device->mark(Queue::Copy));
    QCOMPARE(device->use().usedBytes, 0);
    QVERIFY(journal.mistakes.empty());
}

void TstCudaFaults::hostMemoryThatCannotBeLockedIsNamed()
{
    RuntimeJournal journal;
    auto device = *openRecording(journal, {.faultyCall = RuntimeCall::AllocatePinned,
                                           .faultAt = 1,
                                           .faultOutcome = Outcome::OutOfMemory});
    const auto refused = device->allocatePinned(4'000'000);
    VERIFY_ERROR(refused, "gpu.no_pinned_memory");
    QCOMPARE(refused.error().arguments, (std::vector<std::string>{"4.0 MB", "2", kTestGpu}));
    QVERIFY(device->allocatePinned(4'000'000));
}

CANNERY_TEST(TstCudaFaults)
#include "tst_cuda_faults.moc"
