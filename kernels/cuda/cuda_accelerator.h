// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/accelerator.h"
#include "kernels/cuda/branch_capture.h"
#include "kernels/cuda/runtime.h"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::kernels::cuda {

/// A GPU. Its two queues are streams, marks are events of a pool that synchronize() refills, and a
/// graph is captured once, in branches that begin and end in the compute stream, and launched as a
/// whole. When the device is lost, nothing more is called on it: what it held ends with the
/// process. It leaves its group when it is closed, and abandonGroup() is safe until then.
class CudaAccelerator : public Accelerator
{
public:
    /// `index`: the device's number, for messages. Errors: of the device.
    static Result<std::unique_ptr<Accelerator>>
    create(std::unique_ptr<Runtime> runtime, std::int64_t index, const AcceleratorFacts& facts);
    ~CudaAccelerator() override;

    const AcceleratorFacts& facts() const override { return m_facts; }
    AcceleratorUse use() override;
    std::vector<AcceleratorKernel> kernels() const override { return m_runtime->kernels(); }
    Result<std::unique_ptr<AcceleratorMemory>> allocate(std::int64_t bytes) override;
    Result<std::unique_ptr<AcceleratorMemory>> allocatePinned(std::int64_t bytes) override;
    void upload(Queue queue, std::byte* device, const void* host, std::int64_t bytes) override;
    void download(Queue queue, void* host, const std::byte* device, std::int64_t bytes) override;
    Result<std::unique_ptr<AcceleratorGraph>>
    prepare(std::span<const Operation> operations) override;
    void launch(AcceleratorGraph& graph) override;
    Result<std::vector<OperationTime>> launchTimed(AcceleratorGraph& graph) override;
    Result<void> join(const GroupPlace& place) override;
    void abandonGroup() override;
    QueueMark mark(Queue queue) override;
    void wait(Queue queue, QueueMark mark) override;
    Result<void> wait(QueueMark mark) override;
    Result<void> synchronize() override;

private:
    struct Graph;
    struct Mark
    {
        Queue queue = Queue::Compute;
        Event event = Event::None;
    };

    CudaAccelerator(std::unique_ptr<Runtime> runtime, std::int64_t index,
                    const AcceleratorFacts& facts);
    /// Keeps the first failure.
    void note(const CallStatus& status);
    Error errorOf(const CallStatus& status) const;
    /// Keeps the failure, unless it is one that leaves the device as it was.
    Error failed(const CallStatus& status);
    Error outOfMemory(std::string_view what, std::int64_t bytes);
    Stream streamOf(Queue queue) const { return m_streams[static_cast<std::size_t>(queue)]; }
    /// A group that has been given up is as good as a lost device: what came of it is unknown.
    void noteAbandonment();
    /// Memory must not go while something queued may use it.
    void settle();
    /// The caller may change or read `host` if it is not pinned.
    void finishCopy(Queue queue, const void* host, std::int64_t bytes);
    bool isPinned(const void* host, std::int64_t bytes) const;
    Result<std::unique_ptr<AcceleratorMemory>> allocateFor(std::string_view what,
                                                           std::int64_t bytes);
    void free(std::byte* memory, bool pinned);
    /// Chooses kernels, and the branches of a graph with the working memory that each needs.
    Result<void> plan(Graph& graph);
    CallStatus capture(const Graph& graph, CapturedGraph& captured);
    CallStatus captureBranches(const Graph& graph);
    CallStatus makeExecutable(Graph& graph);
    Event takeEvent();
    /// Null once what was before it is done, or has failed.
    const Mark* marked(QueueMark mark) const;
    /// The first `count` of events that are kept.
    std::span<const Event> keptEvents(std::vector<Event>& events, bool timed, std::size_t count);

    std::unique_ptr<Runtime> m_runtime;
    std::int64_t m_index = 0;
    AcceleratorFacts m_facts;
    std::array<Stream, 2> m_streams{};
    std::array<Stream, kBranches - 1> m_branches{};    ///< beside the compute stream
    std::map<const std::byte*, std::int64_t> m_pinned; ///< size of each
    std::vector<Mark> m_marks;                         ///< since the last synchronize()
    QueueMark m_firstMark = 0;                         ///< of those
    std::vector<Event> m_freeEvents;
    std::vector<Event> m_timedEvents;  ///< of launchTimed()
    std::vector<Event> m_branchEvents; ///< of captures
    bool m_isSettled = true;           ///< nothing is queued
    bool m_isLost = false;
    bool m_isMember = false;
    std::atomic<bool> m_isAbandoned = false;
    std::optional<Error> m_failure;
};

} // namespace cannery::kernels::cuda
