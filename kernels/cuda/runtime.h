// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/accelerator.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// The calls to CUDA that the plug-in makes, without its headers: tests make them on a machine that
/// has no GPU.
namespace cannery::kernels::cuda {

/// What became of a call.
enum class Outcome : std::uint8_t
{
    Done,
    OutOfMemory,
    NoDevice,
    DriverTooOld,
    NoNccl,      ///< the library for groups of devices cannot be loaded
    Unavailable, ///< when it is opened: in use by another program; later: lost
    Lost,        ///< nothing can be called on this device any more
    Failed,
};

struct [[nodiscard]] CallStatus
{
    Outcome outcome = Outcome::Done;
    std::string reason; ///< in the words of CUDA

    bool ok() const { return outcome == Outcome::Done; }
    /// Whether the device is gone that had been opened.
    bool isLoss() const
    {
        return outcome == Outcome::Lost || outcome == Outcome::NoDevice ||
               outcome == Outcome::Unavailable;
    }
};

// CUDA's handles.
enum class Stream : std::uintptr_t
{
    None,
};
enum class Event : std::uintptr_t
{
    None,
};
enum class CapturedGraph : std::uintptr_t
{
    None,
};
enum class Executable : std::uintptr_t
{
    None,
};

/// One open device. Each call is one of CUDA, which returns at once unless its comment says
/// otherwise; what had failed in a stream may be reported by any later call. One thread at a time.
class Runtime
{
public:
    virtual ~Runtime() = default;

    virtual CallStatus allocate(std::int64_t bytes, std::byte*& memory) = 0;
    virtual CallStatus free(std::byte* memory) = 0;
    virtual CallStatus allocatePinned(std::int64_t bytes, std::byte*& memory) = 0;
    virtual CallStatus freePinned(std::byte* memory) = 0;
    /// Of the device, by all programs.
    virtual CallStatus readMemory(std::int64_t& freeBytes, std::int64_t& allBytes) = 0;
    /// Fraction of the last moments; nothing if the device does not report it.
    virtual std::optional<double> busy() = 0;

    virtual CallStatus createStream(Stream& stream) = 0;
    virtual CallStatus destroy(Stream stream) = 0;
    /// Waits until everything in the stream is done.
    virtual CallStatus synchronize(Stream stream) = 0;
    virtual CallStatus zero(std::byte* device, std::int64_t bytes, Stream stream) = 0;
    virtual CallStatus upload(std::byte* device, const void* host, std::int64_t bytes,
                              Stream stream) = 0;
    virtual CallStatus download(void* host, const std::byte* device, std::int64_t bytes,
                                Stream stream) = 0;

    /// `timed`: for elapsed(); the others are faster.
    virtual CallStatus createEvent(bool timed, Event& event) = 0;
    virtual CallStatus destroy(Event event) = 0;
    virtual CallStatus record(Event event, Stream stream) = 0;
    /// What is queued in the stream from now on waits for the last record().
    virtual CallStatus wait(Stream stream, Event event) = 0;
    /// Waits until the last record() has passed.
    virtual CallStatus synchronize(Event event) = 0;
    /// Between two timed events that have passed.
    virtual CallStatus elapsed(Event begin, Event end, std::int64_t& nanoseconds) = 0;

    /// Chooses kernels for an operation. `workspaceBytes`: what run() needs. `refusal`: why there
    /// is no kernel, or empty.
    virtual CallStatus prepare(const Operation& operation, std::int64_t& workspaceBytes,
                               std::string& refusal) = 0;
    /// The operation was prepared; `workspace` is 256-byte aligned.
    virtual CallStatus run(const Operation& operation, Stream stream, std::byte* workspace) = 0;
    virtual std::vector<AcceleratorKernel> kernels() const = 0;

    /// Becomes a member of a group, once; returns when all members have called this. From then on
    /// run() also takes operations that meet those of the others (kMeetsOthers), and may wait for
    /// them.
    virtual CallStatus join(const GroupPlace& place) = 0;
    /// No graph has such operations any more.
    virtual CallStatus leave() = 0;
    /// Any thread: whatever waits for another member, here or on the device, ends soon.
    virtual void abandon() = 0;

    /// From here to endCapture() the stream's operations become a graph instead of being run.
    virtual CallStatus beginCapture(Stream stream) = 0;
    virtual CallStatus endCapture(Stream stream, CapturedGraph& graph) = 0;
    virtual CallStatus destroy(CapturedGraph graph) = 0;
    virtual CallStatus instantiate(CapturedGraph graph, Executable& executable) = 0;
    virtual CallStatus upload(Executable executable, Stream stream) = 0;
    virtual CallStatus launch(Executable executable, Stream stream) = 0;
    virtual CallStatus destroy(Executable executable) = 0;
};

/// One device, not opened.
struct DeviceEntry
{
    AcceleratorFacts facts;
    bool isSupported = true; ///< there is code for its architecture
};

/// The driver of all devices. Any thread.
class Driver
{
public:
    virtual ~Driver() = default;
    /// "CUDA 13.0".
    virtual std::string_view name() const = 0;
    /// "sm_80": the oldest architecture that there is code for.
    virtual std::string_view oldestArchitecture() const = 0;
    virtual CallStatus list(std::vector<DeviceEntry>& devices) = 0;
    /// The index is one of list()'s.
    virtual CallStatus open(std::int64_t index, std::unique_ptr<Runtime>& runtime) = 0;
    virtual CallStatus makeGroupId(GroupId& id) = 0;
};

} // namespace cannery::kernels::cuda
