// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/runtime.h"
#include "tests/support/emulated_device/device_memory.h"
#include "tests/support/emulated_device/emulated_group.h"
#include "tests/support/recording_runtime/recorded_capture.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cannery::tests {

enum class RuntimeCall : std::uint8_t
{
    Allocate,
    Free,
    AllocatePinned,
    FreePinned,
    ReadMemory,
    CreateStream,
    DestroyStream,
    Synchronize,
    Zero,
    Upload,
    Download,
    CreateEvent,
    DestroyEvent,
    Record,
    Wait,
    SynchronizeEvent,
    Elapsed,
    Prepare,
    Run,
    BeginCapture,
    EndCapture,
    DestroyGraph,
    Instantiate,
    UploadExecutable,
    Launch,
    DestroyExecutable,
    Join,
    Leave,
};
inline constexpr int kRuntimeCalls = static_cast<int>(RuntimeCall::Leave) + 1;

/// What was called, in order, and what was wrong about it. Outlives the runtime.
struct RuntimeJournal
{
    struct Entry
    {
        RuntimeCall call = RuntimeCall::Launch;
        std::uintptr_t stream = 0; ///< 0: none
    };
    std::vector<Entry> entries;
    std::vector<std::string> mistakes;
    std::int64_t leaks = 0; ///< what was not given back when the runtime went

    std::int64_t count(RuntimeCall call) const;
};

/// Orders in which a device may run what its streams do not put in order. In a launched graph,
/// operations that may run next are taken in the order of their capture, or the last one first.
enum class RunOrder : std::uint8_t
{
    AsQueued,    ///< everything as early as possible
    FirstStream, ///< nothing before somebody waits; then the first stream runs ahead of the others,
    LastStream,  ///< or the last one
};

struct RecordingOptions
{
    RunOrder order = RunOrder::AsQueued;
    std::int64_t memoryBytes = std::int64_t{1} << 30;
    /// The n-th such call, counted from 1, ends so; 0: none does.
    RuntimeCall faultyCall = RuntimeCall::Launch;
    std::int64_t faultAt = 0;
    kernels::cuda::Outcome faultOutcome = kernels::cuda::Outcome::Failed;
    /// There is no kernel for products.
    bool refusesProducts = false;
    /// The n-th wait of a capture, counted from 1, is forgotten; 0: none is.
    std::int64_t forgetWait = 0;
};

/// CUDA for tests: it runs operations as EmulatedDevice does, and watches the rules of CUDA:
/// handles that exist, nothing but operations and their order while streams are captured, branches
/// that come back to where they began, an order between operations of a graph that use the same
/// memory or meet others, memory and graphs that are not given back while something queued uses
/// them, host memory that stays as it is until it has been copied, no call after a loss, no
/// operation that meets others outside of a group, and none left when the group is. New memory has
/// other values than zeros. Members of a group need an order in which nothing runs before somebody
/// waits.
class RecordingRuntime : public kernels::cuda::Runtime
{
public:
    using Status = kernels::cuda::CallStatus;
    using Stream = kernels::cuda::Stream;
    using Event = kernels::cuda::Event;
    using CapturedGraph = kernels::cuda::CapturedGraph;
    using Executable = kernels::cuda::Executable;

    RecordingRuntime(RuntimeJournal& journal, const RecordingOptions& options);
    ~RecordingRuntime() override;

    Status allocate(std::int64_t bytes, std::byte*& memory) override;
    Status free(std::byte* memory) override;
    Status allocatePinned(std::int64_t bytes, std::byte*& memory) override;
    Status freePinned(std::byte* memory) override;
    Status readMemory(std::int64_t& freeBytes, std::int64_t& allBytes) override;
    std::optional<double> busy() override { return std::nullopt; }
    Status createStream(Stream& stream) override;
    Status destroy(Stream stream) override;
    Status synchronize(Stream stream) override;
    Status zero(std::byte* device, std::int64_t bytes, Stream stream) override;
    Status upload(std::byte* device, const void* host, std::int64_t bytes, Stream stream) override;
    Status download(void* host, const std::byte* device, std::int64_t bytes,
                    Stream stream) override;
    Status createEvent(bool timed, Event& event) override;
    Status destroy(Event event) override;
    Status record(Event event, Stream stream) override;
    Status wait(Stream stream, Event event) override;
    Status synchronize(Event event) override;
    Status elapsed(Event begin, Event end, std::int64_t& nanoseconds) override;
    Status prepare(const kernels::Operation& operation, std::int64_t& workspaceBytes,
                   std::string& refusal) override;
    Status run(const kernels::Operation& operation, Stream stream, std::byte* workspace) override;
    std::vector<kernels::AcceleratorKernel> kernels() const override;
    Status join(const kernels::GroupPlace& place) override;
    Status leave() override;
    void abandon() override;
    Status beginCapture(Stream stream) override;
    Status endCapture(Stream stream, CapturedGraph& graph) override;
    Status destroy(CapturedGraph graph) override;
    Status instantiate(CapturedGraph graph, Executable& executable) override;
    Status upload(Executable executable, Stream stream) override;
    Status launch(Executable executable, Stream stream) override;
    Status destroy(Executable executable) override;

private:
    struct Task
    {
        std::function<void()> run;    ///< null: it only waits
        Event waitsFor = Event::None; ///< for its first `records`
        std::int64_t records = 0;
    };
    struct EventState
    {
        bool timed = false;
        std::int64_t queued = 0; ///< records
        std::int64_t done = 0;
        std::int64_t time = 0; ///< of the last one
    };
    /// Writes the call down; what it ends with before it begins.
    Status begin(RuntimeCall call, Stream stream = Stream::None);
    /// Null: of nothing.
    void complain(const char* mistake);
    void check(bool holds, const char* rule);
    void enqueue(Stream stream, Task task);
    /// Whether the first task of a stream could run.
    bool runFirst(Stream stream);
    void runUntil(const std::function<bool()>& isDone);
    void runUntilEmpty(Stream stream);
    /// What a call that waits ends with: what has failed ends everything queued.
    Status endWait(const Status& status, const std::function<bool()>& isDone);
    bool isIdle() const;
    void runWork(const RecordedWork& work);
    std::uintptr_t newHandle() { return ++m_lastHandle; }

    RuntimeJournal& m_journal;
    RecordingOptions m_options;
    DeviceMemory m_memory;
    std::map<std::byte*, std::vector<std::byte>> m_pinned;
    std::map<Stream, std::deque<Task>> m_streams; ///< in the order of their creation
    std::map<Event, EventState> m_events;
    std::map<CapturedGraph, RecordedGraph> m_graphs;
    std::map<Executable, RecordedGraph> m_executables;
    std::shared_ptr<EmulatedGroup> m_group; ///< null: in none
    std::optional<RecordedCapture> m_capture;
    std::set<std::byte*> m_blocks; ///< of m_memory
    std::uintptr_t m_lastHandle = 0;
    std::int64_t m_clock = 0; ///< tasks that have run
    std::int64_t m_faultyCalls = 0;
    bool m_isLost = false;
};

} // namespace cannery::tests
