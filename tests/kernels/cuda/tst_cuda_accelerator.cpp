// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/errors.h"
#include "tests/kernels/cuda/cuda_case.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace cannery;
using namespace cannery::kernels;
using namespace cannery::tests;

/// What a GPU is asked to do, and in which order.
class TstCudaAccelerator : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_journal = {}; }
    void cleanup();
    void memoryIsZeroed();
    void aPlainCopyIsFinishedWhenItReturns();
    void pinnedCopiesWaitForNobody();
    void aQueueWaitsForMarksOfTheOther_data() { addOrders(); }
    void aQueueWaitsForMarksOfTheOther();
    void withoutAWaitTheOrderMatters();
    void marksFromBeforeASynchronizationAreDone();
    void pinnedMemoryIsWrittenAgainAfterItsCopy_data() { addOrders(); }
    void pinnedMemoryIsWrittenAgainAfterItsCopy();
    void aWriteDuringACopyIsFound();
    void eventsAreUsedAgain();
    void aGraphIsCapturedOnceAndLaunchedOften();
    void operationsShareAWorkspace();
    void branchesFindWhatTheyWaitFor_data() { addOrders(); }
    void branchesFindWhatTheyWaitFor();
    void everyForgottenWaitIsFound();
    void memoryIsFreedWhenItsLastUseIsDone();
    void operationsAreTimedOneByOne();
    void anOperationWithoutAKernelIsRefused();
    void saysHowMuchMemoryIsMissing();
    void tellsHowMemoryIsUsed();

private:
    static void addOrders();
    std::unique_ptr<Accelerator> open(const RecordingOptions& options = {});
    /// The calls since the last time, of these kinds.
    std::vector<RuntimeCall> callsAmong(const std::vector<RuntimeCall>& kinds);

    RuntimeJournal m_journal;
    std::size_t m_seen = 0;
};

void TstCudaAccelerator::addOrders()
{
    QTest::addColumn<RunOrder>("order");
    QTest::newRow("as queued") << RunOrder::AsQueued;
    QTest::newRow("compute first") << RunOrder::FirstStream;
    QTest::newRow("copies first") << RunOrder::LastStream;
}

std::unique_ptr<Accelerator> TstCudaAccelerator::open(const RecordingOptions& options)
{
    m_seen = 0;
    return std::move(*openRecording(m_journal, options));
}

std::vector<RuntimeCall> TstCudaAccelerator::callsAmong(const std::vector<RuntimeCall>& kinds)
{
    std::vector<RuntimeCall> calls;
    for (; m_seen < m_journal.entries.size(); ++m_seen) {
        const RuntimeCall call = m_journal.entries[m_seen].call;
        if (std::ranges::find(kinds, call) != kinds.end()) {
            calls.push_back(call);
        }
    }
    return calls;
}

/// Whatever a test does: CUDA's rules are kept, and everything is given back once.
void TstCudaAccelerator::cleanup()
{
    for (const std::string& mistake : m_journal.mistakes) {
        QFAIL(mistake.c_str());
    }
    QCOMPARE(m_journal.leaks, 0);
}

void TstCudaAccelerator::memoryIsZeroed()
{
    const auto device = open({.order = RunOrder::FirstStream});
    const auto memory = *device->allocate(8);
    const auto pinned = *device->allocatePinned(8);
    QCOMPARE(floatsOf(*pinned)[1], 0.0F);
    float values[2] = {1, 1};
    device->download(Queue::Compute, values, memory->data(), 8);
    QCOMPARE(values[1], 0.0F);
    QCOMPARE(device->allocate(0).value()->bytes(), 0);
}

void TstCudaAccelerator::aPlainCopyIsFinishedWhenItReturns()
{
    const auto device = open({.order = RunOrder::FirstStream});
    const auto memory = *device->allocate(4);
    float value = 5;
    device->upload(Queue::Copy, memory->data(), &value, 4);
    value = 0;
    device->download(Queue::Compute, &value, memory->data(), 4);
    QCOMPARE(value, 5.0F);
}

void TstCudaAccelerator::pinnedCopiesWaitForNobody()
{
    const auto device = open({.order = RunOrder::FirstStream});
    const auto memory = *device->allocate(4);
    const auto pinned = *device->allocatePinned(4);
    callsAmong({});
    device->upload(Queue::Copy, memory->data(), pinned->data(), 4);
    device->download(Queue::Copy, pinned->data(), memory->data(), 4);
    QVERIFY(callsAmong({RuntimeCall::Synchronize}).empty());
}

void TstCudaAccelerator::aQueueWaitsForMarksOfTheOther()
{
    QFETCH(RunOrder, order);
    const auto device = open({.order = order});
    const auto input = *device->allocate(4);
    const auto output = *device->allocate(4);
    const auto pinned = *device->allocatePinned(4);
    const auto results = *device->allocatePinned(4 * 4);
    const auto graph =
        *device->prepare(std::vector<Operation>{CopyValues{rowOf(*input), rowOf(*output), true}});
    for (int step = 0; step < 4; ++step) {
        floatsOf(*pinned)[0] = 1.0F + static_cast<float>(step);
        device->upload(Queue::Copy, input->data(), pinned->data(), 4);
        device->wait(Queue::Compute, device->mark(Queue::Copy));
        device->launch(*graph);
        device->wait(Queue::Copy, device->mark(Queue::Compute));
        device->download(Queue::Copy, floatsOf(*results) + step, output->data(), 4);
        VERIFY_OK(device->synchronize());
        QCOMPARE(floatsOf(*results)[step], static_cast<float>((step + 1) * (step + 2) / 2));
    }
}

/// The runtime of these tests does find what a device might do.
void TstCudaAccelerator::withoutAWaitTheOrderMatters()
{
    std::vector<float> results;
    for (const RunOrder order : kRunOrders) {
        const auto device = open({.order = order});
        const auto memory = *device->allocate(4);
        const auto pinned = *device->allocatePinned(4);
        const auto graph = *device->prepare(
            std::vector<Operation>{CopyValues{rowOf(*memory), rowOf(*memory), true}});
        floatsOf(*pinned)[0] = 1;
        device->upload(Queue::Copy, memory->data(), pinned->data(), 4);
        device->launch(*graph);
        VERIFY_OK(device->synchronize());
        float value = 0;
        device->download(Queue::Copy, &value, memory->data(), 4);
        results.push_back(value);
    }
    QCOMPARE(results, (std::vector<float>{2, 1, 2}));
}

void TstCudaAccelerator::marksFromBeforeASynchronizationAreDone()
{
    const auto device = open();
    const QueueMark before = device->mark(Queue::Copy);
    VERIFY_OK(device->synchronize());
    device->wait(Queue::Compute, before);
    const QueueMark after = device->mark(Queue::Copy);
    QVERIFY(after > before);
    device->wait(Queue::Copy, after);
    QCOMPARE(m_journal.count(RuntimeCall::Wait), 0);
    device->wait(Queue::Compute, after);
    QCOMPARE(m_journal.count(RuntimeCall::Wait), 1);
}

/// The host waits for a copy, and for nothing behind it.
void TstCudaAccelerator::pinnedMemoryIsWrittenAgainAfterItsCopy()
{
    QFETCH(RunOrder, order);
    const auto device = open({.order = order});
    const auto input = *device->allocate(4);
    const auto sum = *device->allocate(4);
    const auto pinned = *device->allocatePinned(4);
    const auto graph =
        *device->prepare(std::vector<Operation>{CopyValues{rowOf(*input), rowOf(*sum), true}});
    for (int step = 0; step < 4; ++step) {
        floatsOf(*pinned)[0] = 1.0F + static_cast<float>(step);
        device->upload(Queue::Copy, input->data(), pinned->data(), 4);
        const QueueMark isCopied = device->mark(Queue::Copy);
        device->wait(Queue::Compute, isCopied);
        device->launch(*graph);
        device->wait(Queue::Copy, device->mark(Queue::Compute));
        VERIFY_OK(device->wait(isCopied));
    }
    QCOMPARE(m_journal.count(RuntimeCall::SynchronizeEvent), 4);
    VERIFY_OK(device->synchronize());
    VERIFY_OK(device->wait(QueueMark{0}));
    QCOMPARE(m_journal.count(RuntimeCall::SynchronizeEvent), 4);
    float value = 0;
    device->download(Queue::Compute, &value, sum->data(), 4);
    QCOMPARE(value, 10.0F);
}

void TstCudaAccelerator::aWriteDuringACopyIsFound()
{
    const auto device = open({.order = RunOrder::FirstStream});
    const auto memory = *device->allocate(4);
    const auto pinned = *device->allocatePinned(4);
    device->upload(Queue::Copy, memory->data(), pinned->data(), 4);
    floatsOf(*pinned)[0] = 1;
    VERIFY_OK(device->synchronize());
    QCOMPARE(std::exchange(m_journal.mistakes, {}),
             (std::vector<std::string>{"host memory is written while its copy is under way"}));
}

void TstCudaAccelerator::eventsAreUsedAgain()
{
    const auto device = open();
    for (int step = 0; step < 20; ++step) {
        device->wait(Queue::Compute, device->mark(Queue::Copy));
        device->wait(Queue::Copy, device->mark(Queue::Compute));
        VERIFY_OK(device->synchronize());
    }
    QCOMPARE(m_journal.count(RuntimeCall::CreateEvent), 2);
    QCOMPARE(m_journal.count(RuntimeCall::Wait), 40);
}

void TstCudaAccelerator::aGraphIsCapturedOnceAndLaunchedOften()
{
    const std::vector<RuntimeCall> kinds{
        RuntimeCall::Prepare,      RuntimeCall::BeginCapture, RuntimeCall::Run,
        RuntimeCall::EndCapture,   RuntimeCall::Instantiate,  RuntimeCall::UploadExecutable,
        RuntimeCall::DestroyGraph, RuntimeCall::Launch,       RuntimeCall::DestroyExecutable};
    const auto device = open();
    const auto memory = *device->allocate(8);
    auto graph = *device->prepare(std::vector<Operation>{
        FillValues{rowOf(*memory), 1}, CopyValues{rowOf(*memory), rowOf(*memory), true}});
    QCOMPARE(callsAmong(kinds), (std::vector<RuntimeCall>{
                                    RuntimeCall::Prepare, RuntimeCall::Prepare,
                                    RuntimeCall::BeginCapture, RuntimeCall::Run, RuntimeCall::Run,
                                    RuntimeCall::EndCapture, RuntimeCall::Instantiate,
                                    RuntimeCall::DestroyGraph, RuntimeCall::UploadExecutable}));
    device->launch(*graph);
    device->launch(*graph);
    graph.reset();
    QCOMPARE(callsAmong(kinds), (std::vector<RuntimeCall>{RuntimeCall::Launch, RuntimeCall::Launch,
                                                          RuntimeCall::DestroyExecutable}));
}

void TstCudaAccelerator::operationsShareAWorkspace()
{
    const auto device = open();
    const auto memory = *device->allocate(8);
    callsAmong({});
    const std::vector<Operation> fills(5, FillValues{rowOf(*memory), 1});
    const auto graph = *device->prepare(fills);
    QCOMPARE(callsAmong({RuntimeCall::Allocate}).size(), 1U);
    const auto cursor = *device->allocate(8);
    callsAmong({});
    const auto needsNone = *device->prepare(
        std::vector<Operation>{AdvanceStep{reinterpret_cast<std::int64_t*>(cursor->data()), 3}});
    QVERIFY(callsAmong({RuntimeCall::Allocate}).empty());
}

namespace {

/// Two branches, which meet, part and meet again; [0, 4) becomes 1, 7, 9, 6.
std::vector<Operation> stepInBranches(const AcceleratorMemory& memory)
{
    const auto at = [&](std::int64_t place) {
        return MatrixView{floatsOf(memory) + place, 1, 1, 1};
    };
    return {FillValues{at(0), 1},     FillValues{at(1), 2},          CopyValues{at(0), at(1), true},
            CopyValues{at(1), at(2)}, CopyValues{at(1), at(3)},      CopyValues{at(2), at(3), true},
            FillValues{at(1), 7},     CopyValues{at(3), at(2), true}};
}

std::vector<float> resultOf(Accelerator& device, const AcceleratorMemory& memory)
{
    std::vector<float> values(4);
    device.download(Queue::Compute, values.data(), memory.data(), 4 * sizeof(float));
    return values;
}

} // namespace

void TstCudaAccelerator::branchesFindWhatTheyWaitFor()
{
    QFETCH(RunOrder, order);
    const auto device = open({.order = order});
    const auto memory = *device->allocate(4 * sizeof(float));
    const auto graph = *device->prepare(stepInBranches(*memory));
    std::set<std::uintptr_t> streams;
    for (const RuntimeJournal::Entry& entry : m_journal.entries) {
        if (entry.call == RuntimeCall::Run) {
            streams.insert(entry.stream);
        }
    }
    QCOMPARE(streams.size(), 2U);
    for (int step = 0; step < 3; ++step) {
        device->launch(*graph);
        QCOMPARE(resultOf(*device, *memory), (std::vector<float>{1, 7, 9, 6}));
    }
    QVERIFY(device->launchTimed(*graph));
    QCOMPARE(resultOf(*device, *memory), (std::vector<float>{1, 7, 9, 6}));
}

/// No wait of a capture is one too many, and the runtime of these tests finds each that is missing:
/// by its rules, and some by other results.
void TstCudaAccelerator::everyForgottenWaitIsFound()
{
    RuntimeJournal complete;
    {
        const auto device = *openRecording(complete, {});
        const auto memory = *device->allocate(4 * sizeof(float));
        QVERIFY(device->prepare(stepInBranches(*memory)));
    }
    QVERIFY(complete.mistakes.empty());
    const std::int64_t waits = complete.count(RuntimeCall::Wait);
    QVERIFY(waits > 3);
    int otherResults = 0;
    for (std::int64_t wait = 1; wait <= waits; ++wait) {
        RuntimeJournal journal;
        const auto device =
            *openRecording(journal, {.order = RunOrder::LastStream, .forgetWait = wait});
        const auto memory = *device->allocate(4 * sizeof(float));
        const auto graph = device->prepare(stepInBranches(*memory));
        QVERIFY(!graph || !journal.mistakes.empty());
        if (graph) {
            device->launch(**graph);
            otherResults += resultOf(*device, *memory) == (std::vector<float>{1, 7, 9, 6}) ? 0 : 1;
        }
    }
    QVERIFY(otherResults > 0);
}

void TstCudaAccelerator::memoryIsFreedWhenItsLastUseIsDone()
{
    const auto device = open({.order = RunOrder::FirstStream});
    auto memory = *device->allocate(4);
    auto pinned = *device->allocatePinned(4);
    device->upload(Queue::Copy, memory->data(), pinned->data(), 4);
    pinned.reset();
    auto graph = *device->prepare(std::vector<Operation>{FillValues{rowOf(*memory), 1}});
    device->launch(*graph);
    graph.reset();
    device->wait(Queue::Copy, device->mark(Queue::Compute));
    memory.reset();
    // cleanup() has the runtime's opinion.
}

void TstCudaAccelerator::operationsAreTimedOneByOne()
{
    const auto device = open({.order = RunOrder::FirstStream});
    const auto memory = *device->allocate(4);
    const auto graph = *device->prepare(std::vector<Operation>{
        FillValues{rowOf(*memory), 3}, CopyValues{rowOf(*memory), rowOf(*memory), true}});
    for (int pass = 0; pass < 2; ++pass) {
        const auto times = device->launchTimed(*graph);
        VERIFY_OK(times);
        QCOMPARE(times->size(), 2U);
        QCOMPARE((*times)[1].operation, 1U);
        QVERIFY((*times)[0].nanoseconds > 0 && (*times)[1].nanoseconds > 0);
    }
    QCOMPARE(m_journal.count(RuntimeCall::CreateEvent), 3);
    QCOMPARE(m_journal.count(RuntimeCall::Launch), 0);
    float value = 0;
    device->download(Queue::Compute, &value, memory->data(), 4);
    QCOMPARE(value, 6.0F);
}

void TstCudaAccelerator::anOperationWithoutAKernelIsRefused()
{
    const auto device = open({.refusesProducts = true});
    const auto memory = *device->allocate(4);
    const Product product{.a = rowOf(*memory), .b = rowOf(*memory), .dst = rowOf(*memory)};
    const auto graph = device->prepare(std::vector<Operation>{product});
    VERIFY_ERROR(graph, "gpu.no_kernel");
    QCOMPARE(graph.error().arguments[0], std::string("product"));
    QVERIFY(device->prepare(std::vector<Operation>{FillValues{rowOf(*memory), 3}}));
}

void TstCudaAccelerator::saysHowMuchMemoryIsMissing()
{
    const auto device = open({.memoryBytes = 1'000'000});
    const auto memory = *device->allocate(600'000);
    const auto more = device->allocate(500'000);
    VERIFY_ERROR(more, "gpu.out_of_memory");
    QCOMPARE(more.error().arguments,
             (std::vector<std::string>{"What is asked for", "500.0 kB", "400.0 kB", "1.0 MB"}));
    const auto rest = *device->allocate(399'000);
    const auto graph = device->prepare(std::vector<Operation>{FillValues{rowOf(*memory), 1}});
    VERIFY_ERROR(graph, "gpu.out_of_memory");
    QCOMPARE(graph.error().arguments[0], std::string("The working memory of a step"));
    // The device works on.
    VERIFY_OK(device->synchronize());
}

void TstCudaAccelerator::tellsHowMemoryIsUsed()
{
    const auto device = open({.memoryBytes = 1'000'000});
    QCOMPARE(device->use().usedBytes, 0);
    const auto memory = *device->allocate(600'000);
    QCOMPARE(device->use().usedBytes, 600'000);
    QCOMPARE(device->facts().name, std::string(kTestGpu));
    QVERIFY(device->kernels().front().implementation == "reference");
}

CANNERY_TEST(TstCudaAccelerator)
#include "tst_cuda_accelerator.moc"
