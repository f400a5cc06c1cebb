// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/accelerator.h"
#include "kernels/accelerator/used_memory.h"
#include "tests/support/emulated_device/device_memory.h"
#include "tests/support/emulated_device/emulated_group.h"
#include "tests/support/emulated_device/emulated_options.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <string>

namespace cannery::tests {

/// One call to an emulated device, in the order that they came in.
struct EmulatedCall
{
    enum class Kind : std::uint8_t
    {
        Allocate,
        AllocatePinned,
        Free,
        Upload,
        Download,
        Prepare,
        Launch,
        Mark,
        Wait,
        HostWait,
        Synchronize,
    };
    Kind kind = Kind::Launch;
    kernels::Queue queue = kernels::Queue::Compute;
    const std::byte* device = nullptr; ///< of copies and memory
    std::int64_t bytes = 0; ///< of copies and memory; operations, or the number of a mark
};

/// A device for tests that runs the bodies of kernels/accelerator on the CPU; products are those of
/// kernels/reference. It is as late as a device may be: nothing queued runs before the host waits
/// for it, and copies run ahead of launches that they do not wait for. It watches its caller: an
/// address that is not on the device, memory in use by both queues without a wait between them,
/// pinned memory that is written while its upload is under way. What it finds is a "gpu.failed" of
/// prepare() or synchronize().
class EmulatedDevice : public kernels::Accelerator
{
public:
    explicit EmulatedDevice(const EmulatedOptions& options = {}, std::int64_t index = 0);
    ~EmulatedDevice() override;

    static kernels::AcceleratorFacts factsOf(const EmulatedOptions& options);

    const kernels::AcceleratorFacts& facts() const override { return m_facts; }
    kernels::AcceleratorUse use() override;
    std::vector<kernels::AcceleratorKernel> kernels() const override;
    Result<std::unique_ptr<kernels::AcceleratorMemory>> allocate(std::int64_t bytes) override;
    Result<std::unique_ptr<kernels::AcceleratorMemory>> allocatePinned(std::int64_t bytes) override;
    void upload(kernels::Queue queue, std::byte* device, const void* host,
                std::int64_t bytes) override;
    void download(kernels::Queue queue, void* host, const std::byte* device,
                  std::int64_t bytes) override;
    Result<std::unique_ptr<kernels::AcceleratorGraph>>
    prepare(std::span<const kernels::Operation> operations) override;
    void launch(kernels::AcceleratorGraph& graph) override;
    Result<std::vector<kernels::OperationTime>>
    launchTimed(kernels::AcceleratorGraph& graph) override;
    Result<void> join(const kernels::GroupPlace& place) override;
    void abandonGroup() override;
    kernels::QueueMark mark(kernels::Queue queue) override;
    void wait(kernels::Queue queue, kernels::QueueMark mark) override;
    Result<void> wait(kernels::QueueMark mark) override;
    Result<void> synchronize() override;

    const std::vector<EmulatedCall>& calls() const { return m_calls; }
    void forgetCalls() { m_calls.clear(); }

private:
    struct Graph;
    /// Something queued. It may run when the other queue has done `otherDone` of its tasks.
    struct Task
    {
        std::function<void()> run;
        std::vector<kernels::UsedMemory> uses;
        std::int64_t otherDone = 0;
    };
    struct QueueState
    {
        std::deque<Task> tasks;     ///< that have not run
        std::int64_t done = 0;      ///< tasks that have run
        std::int64_t otherDone = 0; ///< of the next task
        std::int64_t queued() const { return done + static_cast<std::int64_t>(tasks.size()); }
    };
    struct MarkedPlace
    {
        kernels::Queue queue = kernels::Queue::Compute;
        std::int64_t tasks = 0;
    };

    void record(EmulatedCall::Kind kind, kernels::Queue queue, const void* device,
                std::int64_t bytes);
    void enqueue(kernels::Queue queue, Task task);
    /// Whether the first task of a queue could run; it does, unless something has failed.
    bool runFirst(kernels::Queue queue);
    /// Runs all that is queued.
    void drain();
    /// The same, but no more than is needed for so many tasks of a queue to be done.
    void runUntil(kernels::Queue queue, std::int64_t tasks);
    void free(std::byte* memory, bool pinned);
    void refuse(const std::string& what);
    bool isPinned(const void* host, std::int64_t bytes) const;
    void runOperations(const std::vector<kernels::Operation>& operations);
    void watch(const kernels::Operation& operation);
    /// Counts launches; whether the device is lost by this one.
    bool isLostAtLaunch();
    const MarkedPlace& marked(kernels::QueueMark mark) const;
    QueueState& state(kernels::Queue queue) { return m_queues[static_cast<std::size_t>(queue)]; }

    EmulatedOptions m_options;
    std::int64_t m_index = 0;
    kernels::AcceleratorFacts m_facts;
    DeviceMemory m_memory;
    std::map<const std::byte*, std::int64_t> m_pinned; ///< size of each
    std::vector<double> m_partialSums; ///< what a real device has beside the memory of others
    std::array<QueueState, 2> m_queues;
    std::vector<MarkedPlace> m_marks;
    std::vector<EmulatedCall> m_calls;
    std::shared_ptr<EmulatedGroup> m_group; ///< null: in none
    std::int64_t m_allocations = 0;
    std::int64_t m_launches = 0;
    std::optional<Error> m_failure;
};

} // namespace cannery::tests
