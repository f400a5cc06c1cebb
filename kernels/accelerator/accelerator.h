// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "kernels/accelerator/operations.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Devices that compute on memory of their own. They come from a plug-in (see plugin.h), so that
/// the engine needs none of their libraries.
namespace cannery::kernels {

/// What is known of a device before it is opened.
struct AcceleratorFacts
{
    std::string name;         ///< "NVIDIA H100 80GB HBM3"
    std::string driver;       ///< the version: "13.0"
    std::string architecture; ///< "sm_90"
    std::int64_t memoryBytes = 0;
    std::int64_t freeBytes = 0;
};

/// How a device is used at the moment.
struct AcceleratorUse
{
    std::int64_t usedBytes = 0; ///< by all programs
    std::optional<double> busy; ///< fraction of the last moments; nothing if it does not report it
};

/// Which code computes an operation, for `doctor` and profiles.
struct AcceleratorKernel
{
    std::string_view operation;      ///< "product"
    std::string_view implementation; ///< "cublaslt"
};

/// Time of one operation of a launched graph.
struct OperationTime
{
    std::size_t operation = 0;    ///< its index in the graph
    std::int64_t nanoseconds = 0; ///< of one step
};

/// Memory on a device, or of the host where the device reads it directly (pinned). Freed with this
/// object, which must not outlive its Accelerator.
class AcceleratorMemory
{
public:
    virtual ~AcceleratorMemory() = default;
    virtual std::byte* data() const = 0;
    virtual std::int64_t bytes() const = 0;
};

/// Operations made ready, in order: a launch runs all of them. Must not outlive its Accelerator.
class AcceleratorGraph
{
public:
    virtual ~AcceleratorGraph() = default;
};

/// Two queues of work, each in order: one computes, the other copies beside it.
enum class Queue : std::uint8_t
{
    Compute,
    Copy,
};

/// A point in a queue that another one can wait for.
using QueueMark = std::int64_t;

/// Names a group of devices: members that have it find each other, also from other processes.
using GroupId = std::array<std::byte, 128>;

/// A member's place in a group.
struct GroupPlace
{
    GroupId id{};
    GroupRank member;
};

/// One open device. One controlling thread at a time. What is queued runs later; an error of it is
/// returned by the next synchronize(), and every one after that. Errors:
/// kernels/accelerator/errors.h.
class Accelerator
{
public:
    virtual ~Accelerator() = default;

    virtual const AcceleratorFacts& facts() const = 0;
    virtual AcceleratorUse use() = 0;
    virtual std::vector<AcceleratorKernel> kernels() const = 0;

    /// Zeroed. Errors: out of memory, with the bytes that are free.
    virtual Result<std::unique_ptr<AcceleratorMemory>> allocate(std::int64_t bytes) = 0;
    virtual Result<std::unique_ptr<AcceleratorMemory>> allocatePinned(std::int64_t bytes) = 0;

    /// `host` is pinned memory, or any if the call may wait; it must stay as it is until the queue
    /// has got there, see wait(QueueMark).
    virtual void upload(Queue queue, std::byte* device, const void* host, std::int64_t bytes) = 0;
    virtual void download(Queue queue, void* host, const std::byte* device, std::int64_t bytes) = 0;

    /// Chooses kernels, makes room for their scratch memory, captures them. Errors: an operation
    /// that the device has no kernel for, out of memory.
    virtual Result<std::unique_ptr<AcceleratorGraph>>
    prepare(std::span<const Operation> operations) = 0;
    /// On the compute queue.
    virtual void launch(AcceleratorGraph& graph) = 0;
    /// The same, each operation timed; waits. Errors: as synchronize().
    virtual Result<std::vector<OperationTime>> launchTimed(AcceleratorGraph& graph) = 0;

    /// Becomes a member of a group, once; returns when all members have called this, each from a
    /// thread of its own. From then on graphs may have operations that meet those of the others,
    /// and prepare() of such a graph, launchTimed() and synchronize() may wait for them: all
    /// members call them at the same time. Errors: "gpu.no_nccl", "gpu.not_joined".
    virtual Result<void> join(const GroupPlace& place) = 0;
    /// Any thread: this member fails soon, whatever it waits for.
    virtual void abandonGroup() = 0;

    virtual QueueMark mark(Queue queue) = 0;
    /// What is queued from now on waits for the mark.
    virtual void wait(Queue queue, QueueMark mark) = 0;
    /// The caller waits for the mark, and nothing else: pinned memory whose copy comes before it
    /// may be written again. In a group this may wait for the other members: all members call it at
    /// the same time. Errors: as synchronize().
    virtual Result<void> wait(QueueMark mark) = 0;
    /// Waits until everything queued is done.
    virtual Result<void> synchronize() = 0;
};

/// What a plug-in has. Any thread.
class AcceleratorPlugin
{
public:
    virtual ~AcceleratorPlugin() = default;
    /// "CUDA 13.0".
    virtual std::string_view name() const = 0;
    /// Of every device, in order. Errors: why none can be seen (no device, a driver that is too
    /// old).
    virtual Result<std::vector<AcceleratorFacts>> devices() = 0;
    /// Errors: of devices(), no such device, a busy device.
    virtual Result<std::unique_ptr<Accelerator>> open(std::int64_t index) = 0;
    /// Of a group that nobody has joined yet. Errors: "gpu.no_nccl", "gpu.not_joined".
    virtual Result<GroupId> makeGroupId() = 0;
};

} // namespace cannery::kernels
