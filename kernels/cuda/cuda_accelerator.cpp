// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cuda_accelerator.h"

#include "core/base/byte_text.h"
#include "core/base/check.h"
#include "kernels/accelerator/errors.h"
#include "kernels/accelerator/owned_memory.h"
#include "kernels/accelerator/program.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cannery::kernels::cuda {

namespace {

constexpr std::array kQueues{Queue::Compute, Queue::Copy};

/// Whether the device is gone: it was there when it was opened.
bool isLoss(const CallStatus& status)
{
    return status.outcome == Outcome::Lost || status.outcome == Outcome::NoDevice ||
           status.outcome == Outcome::Unavailable;
}

} // namespace

struct CudaAccelerator::Graph : AcceleratorGraph
{
    Graph(CudaAccelerator& owner, std::span<const Operation> work)
        : device(owner), operations(work.begin(), work.end())
    {}
    ~Graph() override
    {
        device.settle();
        if (executable != Executable::None && !device.m_isLost) {
            device.note(device.m_runtime->destroy(executable));
        }
    }
    std::array<std::byte*, kBranches> workspaces() const
    {
        return needs.in(workspace ? workspace->data() : nullptr);
    }

    CudaAccelerator& device;
    std::vector<Operation> operations;
    std::vector<BranchPlace> places;
    BranchWorkspaces needs;
    std::unique_ptr<AcceleratorMemory> workspace; ///< null: none is needed
    Executable executable = Executable::None;
};

CudaAccelerator::CudaAccelerator(std::unique_ptr<Runtime> runtime, std::int64_t index,
                                 const AcceleratorFacts& facts)
    : m_runtime(std::move(runtime)), m_index(index), m_facts(facts)
{}

Result<std::unique_ptr<Accelerator>> CudaAccelerator::create(std::unique_ptr<Runtime> runtime,
                                                             std::int64_t index,
                                                             const AcceleratorFacts& facts)
{
    auto device =
        std::unique_ptr<CudaAccelerator>(new CudaAccelerator(std::move(runtime), index, facts));
    const auto createAll = [&](auto& streams) {
        CallStatus status;
        for (Stream& stream : streams) {
            status = status.ok() ? device->m_runtime->createStream(stream) : status;
        }
        return status;
    };
    CallStatus status = createAll(device->m_streams);
    status = status.ok() ? createAll(device->m_branches) : status;
    if (!status.ok()) {
        return tl::make_unexpected(device->failed(status));
    }
    return device;
}

CudaAccelerator::~CudaAccelerator()
{
    settle();
    CANNERY_CHECK(m_pinned.empty() || m_isLost);
    for (const Mark& mark : m_marks) {
        m_freeEvents.push_back(mark.event);
    }
    const auto destroyAll = [this](const auto& handles) {
        for (const auto handle : handles) {
            if (handle != decltype(handle){} && !m_isLost) {
                note(m_runtime->destroy(handle));
            }
        }
    };
    destroyAll(m_freeEvents);
    destroyAll(m_timedEvents);
    destroyAll(m_branchEvents);
    if (m_isMember && !m_isLost) {
        note(m_runtime->leave());
    }
    destroyAll(m_branches);
    destroyAll(m_streams);
}

AcceleratorUse CudaAccelerator::use()
{
    std::int64_t freeBytes = 0;
    std::int64_t allBytes = 0;
    if (m_failure) {
        return {};
    }
    if (const CallStatus status = m_runtime->readMemory(freeBytes, allBytes); !status.ok()) {
        note(status);
        return {};
    }
    return {.usedBytes = allBytes - freeBytes, .busy = m_runtime->busy()};
}

void CudaAccelerator::note(const CallStatus& status)
{
    if (status.ok()) {
        return;
    }
    m_isLost = m_isLost || isLoss(status);
    if (!m_failure) {
        m_failure = errorOf(status);
    }
}

Error CudaAccelerator::errorOf(const CallStatus& status) const
{
    if (isLoss(status)) {
        return error(ErrorCode::Unavailable, kGpuLost, m_index, m_facts.name, status.reason);
    }
    const bool isMemory = status.outcome == Outcome::OutOfMemory;
    return error(isMemory ? ErrorCode::ResourceExhausted : ErrorCode::Internal, kGpuFailed, m_index,
                 m_facts.name, status.reason);
}

Error CudaAccelerator::failed(const CallStatus& status)
{
    if (status.outcome == Outcome::OutOfMemory) {
        return errorOf(status);
    }
    note(status);
    return *m_failure;
}

Error CudaAccelerator::outOfMemory(std::string_view what, std::int64_t bytes)
{
    std::int64_t freeBytes = 0;
    std::int64_t allBytes = m_facts.memoryBytes;
    note(m_runtime->readMemory(freeBytes, allBytes));
    const auto text = [](std::int64_t size) { return byteText(static_cast<double>(size)); };
    return error(ErrorCode::ResourceExhausted, kGpuMemory, what, text(bytes), text(freeBytes),
                 text(allBytes));
}

void CudaAccelerator::settle()
{
    noteAbandonment();
    for (const Queue queue : kQueues) {
        if (!m_isSettled && !m_isLost) {
            note(m_runtime->synchronize(streamOf(queue)));
        }
    }
    m_isSettled = true;
}

Result<std::unique_ptr<AcceleratorMemory>> CudaAccelerator::allocate(std::int64_t bytes)
{
    return allocateFor("What is asked for", bytes);
}

Result<std::unique_ptr<AcceleratorMemory>> CudaAccelerator::allocateFor(std::string_view what,
                                                                        std::int64_t bytes)
{
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    std::byte* memory = nullptr;
    const std::int64_t atLeastOne = std::max<std::int64_t>(bytes, 1);
    CallStatus status = m_runtime->allocate(atLeastOne, memory);
    if (status.outcome == Outcome::OutOfMemory) {
        return tl::make_unexpected(outOfMemory(what, bytes));
    }
    if (!status.ok()) {
        return tl::make_unexpected(failed(status));
    }
    auto owned =
        std::make_unique<OwnedMemory>(memory, bytes, [this, memory] { free(memory, false); });
    // Both queues find zeros, without waiting for each other.
    const Stream stream = streamOf(Queue::Copy);
    status = m_runtime->zero(memory, atLeastOne, stream);
    if (status.ok()) {
        status = m_runtime->synchronize(stream);
    }
    if (!status.ok()) {
        return tl::make_unexpected(failed(status));
    }
    return owned;
}

Result<std::unique_ptr<AcceleratorMemory>> CudaAccelerator::allocatePinned(std::int64_t bytes)
{
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    std::byte* memory = nullptr;
    const std::int64_t atLeastOne = std::max<std::int64_t>(bytes, 1);
    const CallStatus status = m_runtime->allocatePinned(atLeastOne, memory);
    if (status.outcome == Outcome::OutOfMemory) {
        return fail(ErrorCode::ResourceExhausted, kNoPinnedMemory,
                    byteText(static_cast<double>(bytes)), m_index, m_facts.name);
    }
    if (!status.ok()) {
        return tl::make_unexpected(failed(status));
    }
    std::memset(memory, 0, static_cast<std::size_t>(atLeastOne));
    m_pinned.emplace(memory, bytes);
    return std::make_unique<OwnedMemory>(memory, bytes, [this, memory] { free(memory, true); });
}

void CudaAccelerator::free(std::byte* memory, bool pinned)
{
    settle();
    m_pinned.erase(memory);
    if (!m_isLost) {
        note(pinned ? m_runtime->freePinned(memory) : m_runtime->free(memory));
    }
}

bool CudaAccelerator::isPinned(const void* host, std::int64_t bytes) const
{
    const auto* const begin = static_cast<const std::byte*>(host);
    auto block = m_pinned.upper_bound(begin);
    if (block == m_pinned.begin()) {
        return false;
    }
    --block;
    return begin + bytes <= block->first + block->second;
}

void CudaAccelerator::finishCopy(Queue queue, const void* host, std::int64_t bytes)
{
    m_isSettled = false;
    if (!m_failure && !isPinned(host, bytes)) {
        note(m_runtime->synchronize(streamOf(queue)));
    }
}

void CudaAccelerator::upload(Queue queue, std::byte* device, const void* host, std::int64_t bytes)
{
    if (!m_failure && bytes > 0) {
        note(m_runtime->upload(device, host, bytes, streamOf(queue)));
        finishCopy(queue, host, bytes);
    }
}

void CudaAccelerator::download(Queue queue, void* host, const std::byte* device, std::int64_t bytes)
{
    if (!m_failure && bytes > 0) {
        note(m_runtime->download(host, device, bytes, streamOf(queue)));
        finishCopy(queue, host, bytes);
    }
}

Result<void> CudaAccelerator::plan(Graph& graph)
{
    graph.places = placeInBranches(graph.operations, kBranches);
    for (std::size_t index = 0; index < graph.operations.size(); ++index) {
        const Operation& operation = graph.operations[index];
        std::int64_t bytes = 0;
        std::string refusal;
        const CallStatus status = m_runtime->prepare(operation, bytes, refusal);
        if (!status.ok()) {
            return tl::make_unexpected(failed(status));
        }
        if (!refusal.empty()) {
            return fail(ErrorCode::Unimplemented, kNoGpuKernel, nameOf(operation), refusal);
        }
        graph.needs.need(graph.places[index].branch, bytes);
    }
    if (const std::int64_t bytes = graph.needs.bytes(); bytes > 0) {
        CANNERY_TRY_ASSIGN(graph.workspace, allocateFor("The working memory of a step", bytes));
    }
    return {};
}

Result<std::unique_ptr<AcceleratorGraph>>
CudaAccelerator::prepare(std::span<const Operation> operations)
{
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    auto graph = std::make_unique<Graph>(*this, operations);
    CANNERY_TRY(plan(*graph));
    keptEvents(m_branchEvents, false, eventsOf(graph->places));
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    if (const CallStatus status = makeExecutable(*graph); !status.ok()) {
        return tl::make_unexpected(failed(status));
    }
    return graph;
}

CallStatus CudaAccelerator::captureBranches(const Graph& graph)
{
    BranchResources resources{.events = m_branchEvents, .workspaces = graph.workspaces()};
    resources.streams.front() = streamOf(Queue::Compute);
    std::ranges::copy(m_branches, resources.streams.begin() + 1);
    return runInBranches(*m_runtime, graph.operations, graph.places, resources);
}

/// The stream is left as it was, whatever happens.
CallStatus CudaAccelerator::capture(const Graph& graph, CapturedGraph& captured)
{
    const Stream stream = streamOf(Queue::Compute);
    CallStatus status = m_runtime->beginCapture(stream);
    if (!status.ok()) {
        return status;
    }
    status = captureBranches(graph);
    if (isLoss(status)) {
        return status;
    }
    const CallStatus ended = m_runtime->endCapture(stream, captured);
    return status.ok() ? ended : status;
}

CallStatus CudaAccelerator::makeExecutable(Graph& graph)
{
    CapturedGraph captured = CapturedGraph::None;
    CallStatus status = capture(graph, captured);
    if (status.ok()) {
        status = m_runtime->instantiate(captured, graph.executable);
    }
    if (captured != CapturedGraph::None && !isLoss(status)) {
        const CallStatus destroyed = m_runtime->destroy(captured);
        status = status.ok() ? destroyed : status;
    }
    if (status.ok()) {
        m_isSettled = false;
        status = m_runtime->upload(graph.executable, streamOf(Queue::Compute));
    }
    return status;
}

void CudaAccelerator::launch(AcceleratorGraph& graph)
{
    if (!m_failure) {
        m_isSettled = false;
        note(m_runtime->launch(static_cast<const Graph&>(graph).executable,
                               streamOf(Queue::Compute)));
    }
}

Result<std::vector<OperationTime>> CudaAccelerator::launchTimed(AcceleratorGraph& graph)
{
    const auto& work = static_cast<const Graph&>(graph);
    const Stream stream = streamOf(Queue::Compute);
    const std::span<const Event> events =
        keptEvents(m_timedEvents, true, work.operations.size() + 1);
    std::byte* const workspace = work.workspaces().front();
    const auto call = [this](const auto& what) {
        if (!m_failure) {
            note(what());
        }
    };
    m_isSettled = false;
    call([&] { return m_runtime->record(events.front(), stream); });
    for (std::size_t i = 0; i < work.operations.size(); ++i) {
        call([&] { return m_runtime->run(work.operations[i], stream, workspace); });
        call([&] { return m_runtime->record(events[i + 1], stream); });
    }
    CANNERY_TRY(synchronize());
    std::vector<OperationTime> times(work.operations.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
        times[i].operation = i;
        call([&] { return m_runtime->elapsed(events[i], events[i + 1], times[i].nanoseconds); });
    }
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    return times;
}

std::span<const Event> CudaAccelerator::keptEvents(std::vector<Event>& events, bool timed,
                                                   std::size_t count)
{
    while (events.size() < count && !m_failure) {
        Event event = Event::None;
        note(m_runtime->createEvent(timed, event));
        if (event != Event::None) {
            events.push_back(event);
        }
    }
    return events;
}

Event CudaAccelerator::takeEvent()
{
    Event event = Event::None;
    if (m_freeEvents.empty()) {
        note(m_runtime->createEvent(false, event));
    } else {
        event = m_freeEvents.back();
        m_freeEvents.pop_back();
    }
    return event;
}

Result<void> CudaAccelerator::join(const GroupPlace& place)
{
    CANNERY_CHECK(!m_isMember);
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    const CallStatus status = m_runtime->join(place);
    if (status.outcome == Outcome::NoNccl) {
        return fail(ErrorCode::FailedPrecondition, kNoNccl, status.reason);
    }
    if (isLoss(status)) {
        return tl::make_unexpected(failed(status));
    }
    if (!status.ok()) {
        return fail(ErrorCode::Unavailable, kNotJoined,
                    fmt::format("GPU:{} ({})", m_index, m_facts.name), status.reason);
    }
    m_isMember = true;
    return {};
}

void CudaAccelerator::abandonGroup()
{
    m_isAbandoned = true;
    if (m_isMember) {
        m_runtime->abandon();
    }
}

void CudaAccelerator::noteAbandonment()
{
    if (m_isAbandoned && !m_failure) {
        m_failure = error(ErrorCode::Unavailable, kGroupLost, m_index, m_facts.name);
    }
    m_isLost = m_isLost || m_isAbandoned; // graphs may refer to what the group had
}

QueueMark CudaAccelerator::mark(Queue queue)
{
    const QueueMark mark = m_firstMark + static_cast<QueueMark>(m_marks.size());
    if (m_failure) {
        return mark;
    }
    if (const Event event = takeEvent(); event != Event::None) {
        m_isSettled = false;
        m_marks.push_back({queue, event});
        note(m_runtime->record(event, streamOf(queue)));
    }
    return mark;
}

void CudaAccelerator::wait(Queue queue, QueueMark mark)
{
    // What is before the last synchronize() is done.
    if (m_failure || mark < m_firstMark) {
        return;
    }
    const auto place = static_cast<std::size_t>(mark - m_firstMark);
    CANNERY_CHECK(place < m_marks.size());
    if (m_marks[place].queue != queue) {
        note(m_runtime->wait(streamOf(queue), m_marks[place].event));
    }
}

Result<void> CudaAccelerator::synchronize()
{
    for (const Queue queue : kQueues) {
        if (!m_failure) {
            note(m_runtime->synchronize(streamOf(queue)));
        }
    }
    noteAbandonment();
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    m_isSettled = true;
    for (const Mark& mark : m_marks) {
        m_freeEvents.push_back(mark.event);
    }
    m_firstMark += static_cast<QueueMark>(m_marks.size());
    m_marks.clear();
    return {};
}

} // namespace cannery::kernels::cuda
