// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emulated_device/emulated_device.h"

#include "core/base/byte_text.h"
#include "core/base/check.h"
#include "kernels/accelerator/dispatch.h"
#include "kernels/accelerator/errors.h"
#include "kernels/accelerator/owned_memory.h"
#include "kernels/accelerator/program.h"
#include "tests/support/emulated_device/emulated_launcher.h"
#include "tests/support/emulated_device/operation_watch.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace cannery::kernels;

namespace cannery::tests {

namespace {

constexpr const char* kName = "Emulated device";

Queue otherThan(Queue queue)
{
    return queue == Queue::Compute ? Queue::Copy : Queue::Compute;
}

} // namespace

struct EmulatedDevice::Graph : AcceleratorGraph
{
    explicit Graph(EmulatedDevice& owner) : device(owner) {}
    ~Graph() override { device.drain(); }

    EmulatedDevice& device;
    std::vector<Operation> operations;
    std::vector<UsedMemory> uses;
};

EmulatedDevice::EmulatedDevice(const EmulatedOptions& options, std::int64_t index)
    : m_options(options), m_index(index), m_facts(factsOf(options)),
      m_partialSums(bodies::kMostPartialSums)
{}

EmulatedDevice::~EmulatedDevice()
{
    drain();
    CANNERY_CHECK(m_memory.isEmpty() && m_pinned.empty());
}

AcceleratorFacts EmulatedDevice::factsOf(const EmulatedOptions& options)
{
    return {.name = kName,
            .driver = "1.0",
            .architecture = "emulated",
            .memoryBytes = options.memoryBytes,
            .freeBytes = options.memoryBytes};
}

AcceleratorUse EmulatedDevice::use()
{
    return {.usedBytes = m_memory.usedBytes(), .busy = std::nullopt};
}

std::vector<AcceleratorKernel> EmulatedDevice::kernels() const
{
    return {{"product", "reference"}, {"sort", "stable_sort"}, {"others", "bodies"}};
}

Result<std::unique_ptr<AcceleratorMemory>> EmulatedDevice::allocate(std::int64_t bytes)
{
    ++m_allocations;
    const std::int64_t freeBytes = m_options.memoryBytes - m_memory.usedBytes();
    if (m_allocations == m_options.failAllocation || bytes > freeBytes) {
        const auto text = [](std::int64_t size) { return byteText(static_cast<double>(size)); };
        return fail(ErrorCode::ResourceExhausted, kGpuMemory, "What is asked for", text(bytes),
                    text(freeBytes), text(m_options.memoryBytes));
    }
    std::byte* const memory = m_memory.allocate(bytes);
    record(EmulatedCall::Kind::Allocate, Queue::Compute, memory, bytes);
    return std::make_unique<OwnedMemory>(memory, bytes, [this, memory] { free(memory, false); });
}

Result<std::unique_ptr<AcceleratorMemory>> EmulatedDevice::allocatePinned(std::int64_t bytes)
{
    auto* const memory =
        new std::byte[static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))]();
    m_pinned.emplace(memory, bytes);
    record(EmulatedCall::Kind::AllocatePinned, Queue::Compute, memory, bytes);
    return std::make_unique<OwnedMemory>(memory, bytes, [this, memory] { free(memory, true); });
}

void EmulatedDevice::free(std::byte* memory, bool pinned)
{
    drain();
    record(EmulatedCall::Kind::Free, Queue::Compute, memory, 0);
    if (pinned) {
        m_pinned.erase(memory);
        delete[] memory;
    } else {
        m_memory.free(memory);
    }
}

void EmulatedDevice::upload(Queue queue, std::byte* device, const void* host, std::int64_t bytes)
{
    record(EmulatedCall::Kind::Upload, queue, device, bytes);
    if (!m_memory.holds(device, bytes)) {
        return refuse("an upload writes memory that is not on the device");
    }
    const auto* const values = static_cast<const std::byte*>(host);
    const bool staysInUse = isPinned(host, bytes);
    auto copy = [=, this, kept = std::vector<std::byte>(values, values + bytes)] {
        if (staysInUse && !std::ranges::equal(kept, std::span(values, kept.size()))) {
            refuse("pinned memory is written while its copy is under way");
        }
        std::ranges::copy(kept, device);
    };
    enqueue(queue, {.run = std::move(copy), .uses = {{device, bytes, true}}});
}

void EmulatedDevice::download(Queue queue, void* host, const std::byte* device, std::int64_t bytes)
{
    record(EmulatedCall::Kind::Download, queue, device, bytes);
    if (!m_memory.holds(device, bytes)) {
        return refuse("a download reads memory that is not on the device");
    }
    enqueue(queue, {.run = [=] { std::memcpy(host, device, static_cast<std::size_t>(bytes)); },
                    .uses = {{device, bytes, false}}});
    if (!isPinned(host, bytes)) {
        drain();
    }
}

Result<std::unique_ptr<AcceleratorGraph>>
EmulatedDevice::prepare(std::span<const Operation> operations)
{
    record(EmulatedCall::Kind::Prepare, Queue::Compute, nullptr,
           static_cast<std::int64_t>(operations.size()));
    auto graph = std::make_unique<Graph>(*this);
    for (const Operation& operation : operations) {
        for (const UsedMemory& used : usedMemory(operation)) {
            if (!m_memory.holds(used.begin, used.bytes)) {
                return fail(ErrorCode::Internal, kGpuFailed, m_index, kName,
                            fmt::format("operation {} ({}) {} {} bytes that are not on the device",
                                        graph->operations.size(), nameOf(operation),
                                        used.written ? "writes" : "reads", used.bytes));
            }
            graph->uses.push_back(used);
        }
        graph->operations.push_back(operation);
    }
    return graph;
}

void EmulatedDevice::launch(AcceleratorGraph& graph)
{
    const auto& work = static_cast<const Graph&>(graph);
    record(EmulatedCall::Kind::Launch, Queue::Compute, nullptr,
           static_cast<std::int64_t>(work.operations.size()));
    for (const UsedMemory& used : work.uses) {
        if (!m_memory.holds(used.begin, used.bytes)) {
            return refuse("a launched graph uses memory that has been freed");
        }
    }
    if (!isLostAtLaunch()) {
        enqueue(Queue::Compute,
                {.run = [this, &work] { runOperations(work.operations); }, .uses = work.uses});
    }
}

Result<std::vector<OperationTime>> EmulatedDevice::launchTimed(AcceleratorGraph& graph)
{
    CANNERY_TRY(synchronize());
    const auto& work = static_cast<const Graph&>(graph);
    std::vector<OperationTime> times;
    if (!isLostAtLaunch()) {
        for (const Operation& operation : work.operations) {
            const auto begin = std::chrono::steady_clock::now();
            m_memory.setAccessible(true);
            runOperations({operation});
            m_memory.setAccessible(false);
            const auto time = std::chrono::steady_clock::now() - begin;
            times.push_back({.operation = times.size(), .nanoseconds = time.count()});
        }
    }
    CANNERY_TRY(synchronize());
    return times;
}

bool EmulatedDevice::isLostAtLaunch()
{
    ++m_launches;
    if (m_launches == m_options.loseAtLaunch && !m_failure) {
        m_failure = error(ErrorCode::Unavailable, kGpuLost, m_index, kName,
                          "it has fallen off the bus (emulated)");
    }
    return m_failure.has_value();
}

void EmulatedDevice::runOperations(const std::vector<Operation>& operations)
{
    EmulatedLauncher launcher(m_partialSums.data(), m_group.get());
    for (const Operation& operation : operations) {
        if (m_options.watches && !meetsOthers(operation)) {
            watch(operation);
        }
        dispatch(launcher, operation);
    }
    if (launcher.refusal() == EmulatedGroup::kGivenUp && !m_failure) {
        m_failure = error(ErrorCode::Unavailable, kGroupLost, m_index, kName);
    } else if (!launcher.refusal().empty()) {
        refuse(launcher.refusal());
    }
}

Result<void> EmulatedDevice::join(const GroupPlace& place)
{
    CANNERY_CHECK(m_group == nullptr);
    m_group = EmulatedGroup::join(place);
    if (m_group == nullptr) {
        return fail(ErrorCode::Unavailable, kNotJoined, kName, "a member has not come");
    }
    return {};
}

void EmulatedDevice::abandonGroup()
{
    if (m_group != nullptr) {
        m_group->abandon();
    }
}

void EmulatedDevice::watch(const Operation& operation)
{
    EmulatedLauncher launcher(m_partialSums.data());
    const OperationWatch watch(m_memory, usedMemory(operation, StepBlock::OfCursor));
    dispatch(launcher, operation);
    const OperationWatch::Memory once = watch.take();
    watch.disguise();
    dispatch(launcher, operation);
    if (const std::string mistake = watch.compare(once); !mistake.empty()) {
        refuse(fmt::format("operation {} {}", nameOf(operation), mistake));
    }
}

QueueMark EmulatedDevice::mark(Queue queue)
{
    const auto mark = static_cast<QueueMark>(m_marks.size());
    record(EmulatedCall::Kind::Mark, queue, nullptr, mark);
    m_marks.push_back({queue, state(queue).queued()});
    return mark;
}

void EmulatedDevice::wait(Queue queue, QueueMark mark)
{
    record(EmulatedCall::Kind::Wait, queue, nullptr, mark);
    const MarkedPlace& place = marked(mark);
    if (place.queue != queue) {
        state(queue).otherDone = std::max(state(queue).otherDone, place.tasks);
    }
}

Result<void> EmulatedDevice::wait(QueueMark mark)
{
    const MarkedPlace& place = marked(mark);
    record(EmulatedCall::Kind::HostWait, place.queue, nullptr, mark);
    runUntil(place.queue, place.tasks);
    return m_failure ? tl::make_unexpected(*m_failure) : Result<void>();
}

const EmulatedDevice::MarkedPlace& EmulatedDevice::marked(QueueMark mark) const
{
    CANNERY_CHECK(mark >= 0 && mark < static_cast<QueueMark>(m_marks.size()));
    return m_marks[static_cast<std::size_t>(mark)];
}

Result<void> EmulatedDevice::synchronize()
{
    record(EmulatedCall::Kind::Synchronize, Queue::Compute, nullptr, 0);
    drain();
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    return {};
}

void EmulatedDevice::record(EmulatedCall::Kind kind, Queue queue, const void* device,
                            std::int64_t bytes)
{
    m_calls.push_back({kind, queue, static_cast<const std::byte*>(device), bytes});
}

void EmulatedDevice::enqueue(Queue queue, Task task)
{
    task.otherDone = state(queue).otherDone;
    const QueueState& other = state(otherThan(queue));
    // Those of the other queue that this one need not wait for.
    const std::int64_t first = std::max<std::int64_t>(task.otherDone - other.done, 0);
    for (auto i = static_cast<std::size_t>(first); i < other.tasks.size(); ++i) {
        if (conflict(task.uses, other.tasks[i].uses)) {
            refuse("both queues use the same memory, and neither waits for the other");
        }
    }
    state(queue).tasks.push_back(std::move(task));
}

bool EmulatedDevice::runFirst(Queue queue)
{
    QueueState& ready = state(queue);
    if (ready.tasks.empty() || ready.tasks.front().otherDone > state(otherThan(queue)).done) {
        return false;
    }
    if (!m_failure) {
        m_memory.setAccessible(true);
        ready.tasks.front().run();
        m_memory.setAccessible(false);
    }
    ready.tasks.pop_front();
    ++ready.done;
    return true;
}

void EmulatedDevice::drain()
{
    while (runFirst(Queue::Copy) || runFirst(Queue::Compute)) {
    }
}

void EmulatedDevice::runUntil(Queue queue, std::int64_t tasks)
{
    while (state(queue).done < tasks && (runFirst(queue) || runFirst(otherThan(queue)))) {
    }
}

void EmulatedDevice::refuse(const std::string& what)
{
    if (!m_failure) {
        m_failure = error(ErrorCode::Internal, kGpuFailed, m_index, kName, what);
    }
}

bool EmulatedDevice::isPinned(const void* host, std::int64_t bytes) const
{
    const auto* const begin = static_cast<const std::byte*>(host);
    auto block = m_pinned.upper_bound(begin);
    if (block == m_pinned.begin()) {
        return false;
    }
    --block;
    return begin + bytes <= block->first + block->second;
}

} // namespace cannery::tests
