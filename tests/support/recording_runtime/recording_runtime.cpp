// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recording_runtime/recording_runtime.h"

#include "core/base/check.h"
#include "kernels/accelerator/dispatch.h"
#include "kernels/accelerator/used_memory.h"
#include "tests/support/emulated_device/emulated_launcher.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace cannery::kernels;
using cannery::kernels::cuda::Outcome;

namespace cannery::tests {

namespace {

/// What memory has before it is zeroed.
constexpr int kGarbage = 0xA5;
constexpr std::int64_t kWorkspaceBytes =
    bodies::kMostPartialSums * static_cast<std::int64_t>(sizeof(double));
constexpr std::int64_t kNanosecondsPerTask = 1000;

std::size_t sizeOf(std::int64_t bytes)
{
    return static_cast<std::size_t>(bytes);
}

} // namespace

std::int64_t RuntimeJournal::count(RuntimeCall call) const
{
    return std::ranges::count(entries, call, &Entry::call);
}

RecordingRuntime::RecordingRuntime(RuntimeJournal& journal, const RecordingOptions& options)
    : m_journal(journal), m_options(options)
{}

RecordingRuntime::~RecordingRuntime()
{
    m_journal.leaks =
        static_cast<std::int64_t>(m_blocks.size() + m_pinned.size() + m_streams.size() +
                                  m_events.size() + m_graphs.size() + m_executables.size());
    for (std::byte* const block : m_blocks) {
        m_memory.free(block);
    }
}

RecordingRuntime::Status RecordingRuntime::begin(RuntimeCall call, Stream stream)
{
    m_journal.entries.push_back({call, static_cast<std::uintptr_t>(stream)});
    check(!m_isLost, "something is called on a lost device");
    check(stream == Stream::None || m_streams.contains(stream), "there is no such stream");
    const bool isForCapture = call == RuntimeCall::Run || call == RuntimeCall::Record ||
                              call == RuntimeCall::Wait || call == RuntimeCall::EndCapture;
    check(!m_capture || isForCapture, "a capture is disturbed");
    if (m_options.faultAt > 0 && call == m_options.faultyCall &&
        ++m_faultyCalls == m_options.faultAt) {
        m_isLost = m_options.faultOutcome == Outcome::Lost;
        return {m_options.faultOutcome, "a fault of the test"};
    }
    return {};
}

void RecordingRuntime::complain(const char* mistake)
{
    if (mistake != nullptr) {
        m_journal.mistakes.emplace_back(mistake);
    }
}

void RecordingRuntime::check(bool holds, const char* rule)
{
    complain(holds ? nullptr : rule);
}

bool RecordingRuntime::isIdle() const
{
    return std::ranges::all_of(m_streams, [](const auto& row) { return row.second.empty(); });
}

void RecordingRuntime::enqueue(Stream stream, Task task)
{
    m_streams[stream].push_back(std::move(task));
    if (m_options.order == RunOrder::AsQueued) {
        runUntilEmpty(stream);
    }
}

bool RecordingRuntime::runFirst(Stream stream)
{
    std::deque<Task>& tasks = m_streams[stream];
    if (tasks.empty()) {
        return false;
    }
    const Task task = tasks.front();
    if (task.waitsFor != Event::None && m_events.contains(task.waitsFor) &&
        m_events[task.waitsFor].done < task.records) {
        return false;
    }
    tasks.pop_front();
    m_clock += 1;
    if (task.run && !m_isLost) {
        m_memory.setAccessible(true);
        task.run();
        m_memory.setAccessible(false);
    }
    return true;
}

void RecordingRuntime::runUntil(const std::function<bool()>& isDone)
{
    std::vector<Stream> order;
    for (const auto& row : m_streams) {
        order.push_back(row.first);
    }
    if (m_options.order == RunOrder::LastStream) {
        std::ranges::reverse(order);
    }
    while (!isDone()) {
        if (std::ranges::none_of(order, [&](Stream each) { return runFirst(each); })) {
            return complain("the streams wait for each other");
        }
    }
}

void RecordingRuntime::runUntilEmpty(Stream stream)
{
    runUntil([&] { return m_streams[stream].empty(); });
}

RecordingRuntime::Status RecordingRuntime::endWait(const Status& status,
                                                   const std::function<bool()>& isDone)
{
    if (status.ok()) {
        runUntil(isDone);
    } else {
        for (auto& row : m_streams) {
            row.second.clear();
        }
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::allocate(std::int64_t bytes, std::byte*& memory)
{
    const Status status = begin(RuntimeCall::Allocate);
    if (!status.ok()) {
        return status;
    }
    if (bytes > m_options.memoryBytes - m_memory.usedBytes()) {
        return {Outcome::OutOfMemory, "out of memory"};
    }
    m_memory.setAccessible(true);
    memory = m_memory.allocate(bytes);
    std::memset(memory, kGarbage, sizeOf(bytes));
    m_memory.setAccessible(false);
    m_blocks.insert(memory);
    return status;
}

RecordingRuntime::Status RecordingRuntime::free(std::byte* memory)
{
    const Status status = begin(RuntimeCall::Free);
    check(isIdle(), "memory is freed that something queued may use");
    check(m_blocks.contains(memory), "memory is freed that was not allocated");
    if (status.ok() && m_blocks.erase(memory) > 0) {
        m_memory.free(memory);
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::allocatePinned(std::int64_t bytes, std::byte*& memory)
{
    const Status status = begin(RuntimeCall::AllocatePinned);
    if (status.ok()) {
        std::vector<std::byte> block(sizeOf(bytes), static_cast<std::byte>(kGarbage));
        memory = block.data();
        m_pinned.emplace(memory, std::move(block));
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::freePinned(std::byte* memory)
{
    const Status status = begin(RuntimeCall::FreePinned);
    check(isIdle(), "pinned memory is freed that something queued may use");
    check(!status.ok() || m_pinned.erase(memory) == 1,
          "pinned memory is freed that was not allocated");
    return status;
}

RecordingRuntime::Status RecordingRuntime::readMemory(std::int64_t& freeBytes,
                                                      std::int64_t& allBytes)
{
    const Status status = begin(RuntimeCall::ReadMemory);
    if (status.ok()) {
        allBytes = m_options.memoryBytes;
        freeBytes = allBytes - m_memory.usedBytes();
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::createStream(Stream& stream)
{
    const Status status = begin(RuntimeCall::CreateStream);
    if (status.ok()) {
        stream = static_cast<Stream>(newHandle());
        m_streams[stream];
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::destroy(Stream stream)
{
    const Status status = begin(RuntimeCall::DestroyStream, stream);
    if (status.ok()) {
        m_streams.erase(stream);
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::synchronize(Stream stream)
{
    return endWait(begin(RuntimeCall::Synchronize, stream),
                   [&] { return m_streams[stream].empty(); });
}

RecordingRuntime::Status RecordingRuntime::zero(std::byte* device, std::int64_t bytes,
                                                Stream stream)
{
    const Status status = begin(RuntimeCall::Zero, stream);
    if (status.ok()) {
        check(m_memory.holds(device, bytes), "zeros go where there is no memory of the device");
        enqueue(stream, {.run = [=] { std::memset(device, 0, sizeOf(bytes)); }});
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::upload(std::byte* device, const void* host,
                                                  std::int64_t bytes, Stream stream)
{
    const Status status = begin(RuntimeCall::Upload, stream);
    if (status.ok()) {
        check(m_memory.holds(device, bytes),
              "an upload goes where there is no memory of the device");
        const auto* const values = static_cast<const std::byte*>(host);
        enqueue(stream, {.run = [=, this, kept = std::vector(values, values + bytes)] {
                    check(std::ranges::equal(kept, std::span(values, kept.size())),
                          "host memory is written while its copy is under way");
                    std::ranges::copy(kept, device);
                }});
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::download(void* host, const std::byte* device,
                                                    std::int64_t bytes, Stream stream)
{
    const Status status = begin(RuntimeCall::Download, stream);
    if (status.ok()) {
        check(m_memory.holds(device, bytes), "a download reads what is not the device's");
        enqueue(stream, {.run = [=] { std::memcpy(host, device, sizeOf(bytes)); }});
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::createEvent(bool timed, Event& event)
{
    const Status status = begin(RuntimeCall::CreateEvent);
    if (status.ok()) {
        event = static_cast<Event>(newHandle());
        m_events[event].timed = timed;
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::destroy(Event event)
{
    const Status status = begin(RuntimeCall::DestroyEvent);
    check(!status.ok() || m_events.erase(event) == 1, "an event is destroyed that is not there");
    return status;
}

RecordingRuntime::Status RecordingRuntime::record(Event event, Stream stream)
{
    const Status status = begin(RuntimeCall::Record, stream);
    check(m_events.contains(event), "an event is recorded that is not there");
    if (status.ok() && m_capture) {
        complain(m_capture->record(event, stream));
    } else if (status.ok()) {
        m_events[event].queued += 1;
        enqueue(stream, {.run = [this, event] {
                    m_events[event].done += 1;
                    m_events[event].time = m_clock;
                }});
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::wait(Stream stream, Event event)
{
    const Status status = begin(RuntimeCall::Wait, stream);
    check(m_events.contains(event), "a stream waits for an event that is not there");
    if (status.ok() && m_capture) {
        complain(m_capture->wait(stream, event));
    } else if (status.ok()) {
        enqueue(stream, {.waitsFor = event, .records = m_events[event].queued});
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::synchronize(Event event)
{
    const Status status = begin(RuntimeCall::SynchronizeEvent);
    check(m_events.contains(event), "an event is waited for that is not there");
    return endWait(status, [this, event] {
        const EventState& state = m_events[event];
        return state.done == state.queued;
    });
}

RecordingRuntime::Status RecordingRuntime::elapsed(Event begin, Event end,
                                                   std::int64_t& nanoseconds)
{
    const Status status = this->begin(RuntimeCall::Elapsed);
    const EventState& first = m_events[begin];
    const EventState& last = m_events[end];
    check(first.timed && last.timed, "the time of an event is read that keeps none");
    check(first.done > 0 && first.done == first.queued && last.done > 0 && last.done == last.queued,
          "the time of an event is read before it has passed");
    nanoseconds = (last.time - first.time) * kNanosecondsPerTask;
    return status;
}

RecordingRuntime::Status RecordingRuntime::prepare(const Operation& operation,
                                                   std::int64_t& workspaceBytes,
                                                   std::string& refusal)
{
    const Status status = begin(RuntimeCall::Prepare);
    workspaceBytes = std::holds_alternative<AdvanceStep>(operation) ? 0 : kWorkspaceBytes;
    if (m_options.refusesProducts && std::holds_alternative<Product>(operation)) {
        refusal = "the test has none";
    }
    return status;
}

void RecordingRuntime::runWork(const RecordedWork& work)
{
    EmulatedLauncher launcher(reinterpret_cast<double*>(work.workspace), m_group.get());
    dispatch(launcher, work.operation);
}

RecordingRuntime::Status RecordingRuntime::run(const Operation& operation, Stream stream,
                                               std::byte* workspace)
{
    const Status status = begin(RuntimeCall::Run, stream);
    if (!status.ok()) {
        return status;
    }
    const RecordedWork work{operation, workspace, usedMemory(operation), {}};
    for (const UsedMemory& used : work.uses) {
        check(m_memory.holds(used.begin, used.bytes), "an operation uses what is not the device's");
    }
    check(std::holds_alternative<AdvanceStep>(operation) ||
              m_memory.holds(workspace, kWorkspaceBytes),
          "an operation has no working memory");
    check(m_group != nullptr || !meetsOthers(operation), "an operation meets nobody");
    if (m_capture) {
        complain(m_capture->run(work, stream));
        return status;
    }
    enqueue(stream, {.run = [this, work] { runWork(work); }});
    return status;
}

std::vector<AcceleratorKernel> RecordingRuntime::kernels() const
{
    return {{"product", "reference"}, {"others", "bodies"}};
}

RecordingRuntime::Status RecordingRuntime::join(const GroupPlace& place)
{
    const Status status = begin(RuntimeCall::Join);
    check(m_group == nullptr, "a group is joined twice");
    if (!status.ok()) {
        return status;
    }
    m_group = EmulatedGroup::join(place);
    return m_group != nullptr ? status : Status{Outcome::Failed, "a member has not come"};
}

RecordingRuntime::Status RecordingRuntime::leave()
{
    const Status status = begin(RuntimeCall::Leave);
    check(m_group != nullptr, "a group is left that was not joined");
    const auto meets = [](const auto& row) {
        return std::ranges::any_of(row.second, meetsOthers, &RecordedWork::operation);
    };
    check(std::ranges::none_of(m_graphs, meets) && std::ranges::none_of(m_executables, meets),
          "a group is left that a graph may meet");
    m_group.reset();
    return status;
}

void RecordingRuntime::abandon()
{
    m_group->abandon();
}

RecordingRuntime::Status RecordingRuntime::beginCapture(Stream stream)
{
    const Status status = begin(RuntimeCall::BeginCapture, stream);
    if (status.ok()) {
        m_capture.emplace(stream, m_options.forgetWait);
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::endCapture(Stream stream, CapturedGraph& graph)
{
    const Status status = begin(RuntimeCall::EndCapture, stream);
    check(m_capture && m_capture->stream() == stream, "a capture ends that had not begun");
    const std::optional<RecordedCapture> capture = std::exchange(m_capture, std::nullopt);
    if (!status.ok()) {
        return status;
    }
    if (!capture->isWhole()) {
        return {Outcome::Failed, "a branch of a capture does not come back"};
    }
    graph = static_cast<CapturedGraph>(newHandle());
    m_graphs[graph] = capture->graph();
    return status;
}

RecordingRuntime::Status RecordingRuntime::destroy(CapturedGraph graph)
{
    const Status status = begin(RuntimeCall::DestroyGraph);
    check(!status.ok() || m_graphs.erase(graph) == 1, "a graph is destroyed that is not there");
    return status;
}

RecordingRuntime::Status RecordingRuntime::instantiate(CapturedGraph graph, Executable& executable)
{
    const Status status = begin(RuntimeCall::Instantiate);
    check(m_graphs.contains(graph), "a graph is instantiated that is not there");
    if (status.ok()) {
        executable = static_cast<Executable>(newHandle());
        m_executables[executable] =
            inRunOrder(m_graphs[graph], m_options.order == RunOrder::LastStream);
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::upload(Executable executable, Stream stream)
{
    const Status status = begin(RuntimeCall::UploadExecutable, stream);
    check(m_executables.contains(executable), "a graph is uploaded that is not there");
    return status;
}

RecordingRuntime::Status RecordingRuntime::launch(Executable executable, Stream stream)
{
    const Status status = begin(RuntimeCall::Launch, stream);
    check(m_executables.contains(executable), "a graph is launched that is not there");
    if (status.ok()) {
        enqueue(stream, {.run = [this, executable] {
                    for (const RecordedWork& work : m_executables[executable]) {
                        runWork(work);
                    }
                }});
    }
    return status;
}

RecordingRuntime::Status RecordingRuntime::destroy(Executable executable)
{
    const Status status = begin(RuntimeCall::DestroyExecutable);
    check(isIdle(), "a graph is destroyed that something queued may run");
    check(!status.ok() || m_executables.erase(executable) == 1,
          "an executable graph is destroyed that is not there");
    return status;
}

} // namespace cannery::tests
