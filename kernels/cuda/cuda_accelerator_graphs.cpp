// SPDX-License-Identifier: Apache-2.0
// Graphs: how they are captured and launched.
#include "kernels/accelerator/errors.h"
#include "kernels/accelerator/program.h"
#include "kernels/cuda/cuda_accelerator.h"

#include <algorithm>
#include <utility>

namespace cannery::kernels::cuda {

struct CudaAccelerator::Graph : AcceleratorGraph
{
    Graph(CudaAccelerator& owner, std::span<const Operation> work)
        : device(owner), operations(work.begin(), work.end())
    {}
    ~Graph() override
    {
        // The graph may still be running.
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
    std::unique_ptr<AcceleratorMemory> workspace; ///< null if none is needed
    Executable executable = Executable::None;
};

Result<void> CudaAccelerator::plan(Graph& graph)
{
    // Independent operations run at the same time.
    graph.places = placeInBranches(graph.operations, kBranches);
    for (std::size_t index = 0; index < graph.operations.size(); ++index) {
        const Operation& operation = graph.operations[index];
        std::int64_t bytes = 0;
        std::string refusal;
        const CallStatus status = m_runtime->prepare(operation, bytes, refusal);
        if (!status.ok()) {
            return tl::make_unexpected(failed(status));
        }
        // Refused before anything is captured.
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
    // Branches meet by events, which are kept for all graphs.
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
    if (status.isLoss()) {
        return status;
    }
    const CallStatus ended = m_runtime->endCapture(stream, captured);
    // The first failure is the cause of the second.
    return status.ok() ? ended : status;
}

CallStatus CudaAccelerator::makeExecutable(Graph& graph)
{
    CapturedGraph captured = CapturedGraph::None;
    CallStatus status = capture(graph, captured);
    if (status.ok()) {
        status = m_runtime->instantiate(captured, graph.executable);
    }
    // A captured graph is only needed until it is instantiated.
    if (captured != CapturedGraph::None && !status.isLoss()) {
        const CallStatus destroyed = m_runtime->destroy(captured);
        status = status.ok() ? destroyed : status;
    }
    if (status.ok()) {
        // Uploaded now, so that the first launch is as fast as the others.
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
    // One after the other, so that one workspace is enough.
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
    // Times are known once the work is done.
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

} // namespace cannery::kernels::cuda
