// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cuda_accelerator.h"

#include "core/base/byte_text.h"
#include "core/base/check.h"
#include "kernels/accelerator/errors.h"
#include "kernels/accelerator/owned_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cannery::kernels::cuda {

namespace {

constexpr std::array kQueues{Queue::Compute, Queue::Copy};

} // namespace

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

/// The first failure is kept: those that follow are its consequences.
void CudaAccelerator::note(const CallStatus& status)
{
    if (status.ok()) {
        return;
    }
    m_isLost = m_isLost || status.isLoss();
    if (!m_failure) {
        m_failure = errorOf(status);
    }
}

Error CudaAccelerator::errorOf(const CallStatus& status) const
{
    if (status.isLoss()) {
        return error(ErrorCode::Unavailable, kGpuLost, m_index, m_facts.name, status.reason);
    }
    const bool isMemory = status.outcome == Outcome::OutOfMemory;
    return error(isMemory ? ErrorCode::ResourceExhausted : ErrorCode::Internal, kGpuFailed, m_index,
                 m_facts.name, status.reason);
}

/// A lack of memory is not kept: the device is as good as before, and less may still fit.
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

/// Before memory is freed or handles are destroyed, which queued work may still use.
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

/// `host` may point into the middle of a block.
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

/// Memory that is not pinned belongs to a caller who may write it again after the call.
void CudaAccelerator::finishCopy(Queue queue, const void* host, std::int64_t bytes)
{
    // From now on there is work that may not be done.
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

std::span<const Event> CudaAccelerator::keptEvents(std::vector<Event>& events, bool timed,
                                                   std::size_t count)
{
    // After a failure no events can be created.
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
    // Events are used again, as making one takes a call.
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
    // Without the library there are no groups; other reasons are the group's own.
    if (status.outcome == Outcome::NoNccl) {
        return fail(ErrorCode::FailedPrecondition, kNoNccl, status.reason);
    }
    if (status.isLoss()) {
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

/// Marks are numbered through, so that one from before the last synchronize() is recognized as
/// done although its event is used again.
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

const CudaAccelerator::Mark* CudaAccelerator::marked(QueueMark mark) const
{
    // What is before the last synchronize() is done.
    if (m_failure || mark < m_firstMark) {
        return nullptr;
    }
    const auto place = static_cast<std::size_t>(mark - m_firstMark);
    CANNERY_CHECK(place < m_marks.size());
    return &m_marks[place];
}

void CudaAccelerator::wait(Queue queue, QueueMark mark)
{
    // The work of one queue is done in order anyway.
    if (const Mark* const place = marked(mark); place != nullptr && place->queue != queue) {
        note(m_runtime->wait(streamOf(queue), place->event));
    }
}

Result<void> CudaAccelerator::wait(QueueMark mark)
{
    if (const Mark* const place = marked(mark)) {
        note(m_runtime->synchronize(place->event));
    }
    noteAbandonment();
    return m_failure ? tl::make_unexpected(*m_failure) : Result<void>();
}

Result<void> CudaAccelerator::synchronize()
{
    // All queues, as a copy may wait for a computation.
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
    // Everything before is done, so that the events are free.
    for (const Mark& mark : m_marks) {
        m_freeEvents.push_back(mark.event);
    }
    m_firstMark += static_cast<QueueMark>(m_marks.size());
    m_marks.clear();
    return {};
}

} // namespace cannery::kernels::cuda
