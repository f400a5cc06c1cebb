// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_programs.h"

#include "core/plan/device/device_memory.h"

#include <algorithm>
#include <utility>

namespace cannery::plan {

namespace {

/// Shapes: the full batch and the last one of an epoch, each with and without measuring; the ids of
/// a batch may need more room than those before.
constexpr std::size_t kMostPrograms = 6;
/// Of sequences, for several numbers of steps, see roundedSteps(). All programs for fewer steps
/// take little memory beside the largest one.
constexpr std::size_t kMostProgramsOfSequences = 12;

/// Whether holds(the shape of a program, the shape in its place) everywhere.
template <typename Holds>
bool everyone(const DevicePrograms::Set& programs, const DevicePrograms::Shapes& shapes,
              const Holds& holds)
{
    return std::ranges::equal(programs, shapes, [&](const auto& program, const BatchShape& shape) {
        return holds(program->shape(), shape);
    });
}

bool isKind(const DevicePrograms::Set& programs, DeviceStepKind kind, bool gathers)
{
    return programs.front()->kind() == kind && programs.front()->gathers() == gathers;
}

/// With some room for batches that follow, as much as before (or null), and the same room for the
/// ids of all.
DevicePrograms::Shapes withRoomFor(DevicePrograms::Shapes shapes, const DevicePrograms::Set* before)
{
    BatchShape most = shapes.front();
    for (std::size_t member = 0; member < shapes.size(); ++member) {
        most = widened(most, withRoom(shapes[member]));
        most = before == nullptr ? most : widened(most, (*before)[member]->shape());
    }
    for (BatchShape& shape : shapes) {
        shape = widened(withRoom(shape), most);
    }
    return shapes;
}

} // namespace

DevicePrograms::Set* DevicePrograms::find(const Shapes& batches, DeviceStepKind kind, bool gathers)
{
    const auto known = std::ranges::find_if(m_sets, [&](const auto& programs) {
        return isKind(*programs, kind, gathers) &&
               everyone(*programs, batches, [&](const auto& a, const auto& b) {
                   return a.holds(b) && (!m_isExact || b.holds(a));
               });
    });
    if (known == m_sets.end()) {
        return nullptr;
    }
    std::rotate(m_sets.begin(), known, known + 1);
    return m_sets.front().get();
}

DevicePrograms::Shapes DevicePrograms::makeRoomFor(const Shapes& batches, DeviceStepKind kind,
                                                   bool gathers)
{
    const auto outgrown = std::ranges::find_if(m_sets, [&](const auto& programs) {
        return isKind(*programs, kind, gathers) &&
               everyone(*programs, batches, [](const auto& a, const auto& b) {
                   return a.rows == b.rows && a.longest == roundedSteps(b.longest);
               });
    });
    const Set* const before = outgrown == m_sets.end() ? nullptr : outgrown->get();
    Shapes shapes = m_isExact ? batches : withRoomFor(batches, before);
    if (before != nullptr) {
        m_sets.erase(outgrown);
    } else if (m_sets.size() ==
               (shapes.front().longest > 0 ? kMostProgramsOfSequences : kMostPrograms)) {
        m_sets.pop_back();
    }
    return shapes;
}

Result<DevicePrograms::Set*> DevicePrograms::make(const Shapes& shapes, DeviceStepKind kind,
                                                  bool gathers)
{
    auto programs = made(shapes, kind, gathers);
    if (isShort(programs) && !m_failure.hasHappened() && !gathers && !m_sets.empty() &&
        !m_isExact) {
        m_sets.clear(); // there was memory for one
        programs = made(shapes, kind, gathers);
    }
    CANNERY_TRY_ASSIGN(auto set, std::move(programs));
    m_sets.insert(m_sets.begin(), std::move(set));
    return m_sets.front().get();
}

Result<std::unique_ptr<DevicePrograms::Set>> DevicePrograms::made(const Shapes& shapes,
                                                                  DeviceStepKind kind, bool gathers)
{
    auto programs = std::make_unique<Set>();
    for (std::size_t member = 0; member < m_members.size(); ++member) {
        const DeviceMember& of = m_members[member];
        CANNERY_TRY_ASSIGN(auto program,
                           DeviceProgram::create(of.accelerator, of.plan, shapes[member], kind,
                                                 gathers ? of.table.get() : nullptr));
        programs->push_back(std::move(program));
    }
    CANNERY_TRY(prepare(*programs));
    return programs;
}

Result<void> DevicePrograms::prepare(Set& programs)
{
    if (programs.front()->isPrepared()) {
        return {};
    }
    for (const auto& program : programs) {
        CANNERY_TRY(program->placeNext());
    }
    Result<void> outcome =
        together(m_members, [&](std::size_t member) { return programs[member]->prepareNext(); });
    return m_members.front().plan.member.size > 1 ? m_failure.keep(std::move(outcome)) : outcome;
}

void DevicePrograms::dropGathering()
{
    std::erase_if(m_sets, [](const auto& programs) { return programs->front()->gathers(); });
}

} // namespace cannery::plan
