// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/device/device_failure.h"
#include "core/plan/device/device_member.h"
#include "core/plan/device/device_program.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace cannery::plan {

/// The programs of a step that have been made, for some shapes of batches and kinds of steps; they
/// are kept, the last used first.
class DevicePrograms
{
public:
    /// The programs of a step, one for each member.
    using Set = std::vector<std::unique_ptr<DeviceProgram>>;
    /// The batches of a step here.
    using Shapes = std::vector<BatchShape>;

    /// `isExact`: programs have the shapes that are asked for and no more, as other processes rely
    /// on that. All else outlives this.
    DevicePrograms(const std::vector<DeviceMember>& members, bool isExact, DeviceFailure& failure)
        : m_members(members), m_isExact(isExact), m_failure(failure)
    {}

    /// Those that hold these batches; null: there are none. `gathers`: from the members' tables.
    Set* find(const Shapes& batches, DeviceStepKind kind, bool gathers);
    /// Once nothing is queued, and nothing is found: gives up a set if there are many, rather one
    /// that the batches have outgrown, and returns the shapes to make a set for.
    Shapes makeRoomFor(const Shapes& batches, DeviceStepKind kind, bool gathers);
    /// Makes a set, giving up the others if memory is short. Errors: of DeviceProgram, of preparing
    /// it in a group, kept.
    Result<Set*> make(const Shapes& shapes, DeviceStepKind kind, bool gathers);
    /// For the next step. Errors: as make().
    Result<void> prepare(Set& programs);

    void dropGathering();
    void clear() { m_sets.clear(); }
    std::size_t count() const { return m_sets.size(); }

private:
    Result<std::unique_ptr<Set>> made(const Shapes& shapes, DeviceStepKind kind, bool gathers);

    const std::vector<DeviceMember>& m_members;
    bool m_isExact;
    DeviceFailure& m_failure;
    std::vector<std::unique_ptr<Set>> m_sets; ///< the last used first
};

} // namespace cannery::plan
