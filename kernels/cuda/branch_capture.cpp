// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/branch_capture.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace cannery::kernels::cuda {

namespace {

constexpr std::int64_t kAlignment = 256;

/// The branches beside the first one that have operations, and whether one of them begins with the
/// step: its first operation waits for none.
struct Used
{
    std::size_t branches = 0;
    bool beginsWithStep = false;
};

Used usedBranches(std::span<const BranchPlace> places)
{
    Used used;
    std::array<bool, kBranches> isKnown{true};
    for (const BranchPlace& place : places) {
        if (!isKnown[place.branch]) {
            isKnown[place.branch] = true;
            ++used.branches;
            used.beginsWithStep = used.beginsWithStep || place.waitsFor.empty();
        }
    }
    return used;
}

class Capture
{
public:
    Capture(Runtime& runtime, std::span<const BranchPlace> places, const BranchResources& resources)
        : m_runtime(runtime), m_places(places), m_resources(resources), m_events(places.size())
    {}

    CallStatus begin()
    {
        return usedBranches(m_places).beginsWithStep ? record(0, m_start) : CallStatus();
    }

    CallStatus run(std::size_t index, const Operation& operation)
    {
        const BranchPlace& place = m_places[index];
        const Stream stream = m_resources.streams[place.branch];
        CallStatus status = enter(place);
        for (const std::size_t awaited : place.waitsFor) {
            if (status.ok()) {
                status = m_runtime.wait(stream, m_events[awaited]);
            }
        }
        if (status.ok()) {
            status = m_runtime.run(operation, stream, m_resources.workspaces[place.branch]);
        }
        return status.ok() && place.isAwaited ? record(place.branch, m_events[index]) : status;
    }

    CallStatus end()
    {
        CallStatus status;
        for (std::size_t branch = 1; branch < kBranches && status.ok(); ++branch) {
            if (m_isOpen[branch]) {
                Event last = Event::None;
                status = record(branch, last);
                status = status.ok() ? m_runtime.wait(m_resources.streams.front(), last) : status;
            }
        }
        return status;
    }

private:
    /// A stream joins the capture by waiting for something in it.
    CallStatus enter(const BranchPlace& place)
    {
        const bool wasOpen = std::exchange(m_isOpen[place.branch], true);
        if (wasOpen || place.branch == 0 || !place.waitsFor.empty()) {
            return {};
        }
        return m_runtime.wait(m_resources.streams[place.branch], m_start);
    }

    CallStatus record(std::size_t branch, Event& event)
    {
        event = m_resources.events[m_used++];
        return m_runtime.record(event, m_resources.streams[branch]);
    }

    Runtime& m_runtime;
    std::span<const BranchPlace> m_places;
    const BranchResources& m_resources;
    std::vector<Event> m_events; ///< of operations that are awaited
    Event m_start = Event::None;
    std::size_t m_used = 0;
    std::array<bool, kBranches> m_isOpen{};
};

} // namespace

void BranchWorkspaces::need(std::size_t branch, std::int64_t bytes)
{
    const std::int64_t aligned = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    m_most[branch] = std::max(m_most[branch], aligned);
    m_most.front() = std::max(m_most.front(), aligned);
}

std::int64_t BranchWorkspaces::bytes() const
{
    return std::reduce(m_most.begin(), m_most.end());
}

std::array<std::byte*, kBranches> BranchWorkspaces::in(std::byte* memory) const
{
    std::array<std::byte*, kBranches> places{};
    std::byte* next = memory;
    for (std::size_t branch = 0; branch < kBranches && memory != nullptr; ++branch) {
        places[branch] = next;
        next += m_most[branch];
    }
    return places;
}

/// At the beginning, at the end of each branch, and those of operations.
std::size_t eventsOf(std::span<const BranchPlace> places)
{
    const Used used = usedBranches(places);
    return (used.beginsWithStep ? 1 : 0) + used.branches +
           static_cast<std::size_t>(std::ranges::count_if(places, &BranchPlace::isAwaited));
}

CallStatus runInBranches(Runtime& runtime, std::span<const Operation> operations,
                         std::span<const BranchPlace> places, const BranchResources& resources)
{
    Capture capture(runtime, places, resources);
    CallStatus status = capture.begin();
    for (std::size_t index = 0; index < operations.size() && status.ok(); ++index) {
        status = capture.run(index, operations[index]);
    }
    return status.ok() ? capture.end() : status;
}

} // namespace cannery::kernels::cuda
