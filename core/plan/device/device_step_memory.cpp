// SPDX-License-Identifier: Apache-2.0
// What of a step is on the accelerators, and whether it fits.
#include "core/plan/device/device_step.h"

#include <algorithm>
#include <limits>

namespace cannery::plan {

namespace {

/// Full and last batches, with and without measuring: the table leaves room for them, and for the
/// values and the program of evaluations.
constexpr std::int64_t kProgramsBesideTable = 4;
/// What takes most memory.
constexpr DeviceStepKind kMeasured{.measures = true};

DeviceMirror mirrorOf(std::span<float> memory)
{
    return {.host = reinterpret_cast<std::byte*>(memory.data()),
            .bytes = static_cast<std::int64_t>(memory.size_bytes())};
}

std::int64_t endOf(std::span<const DeviceMirror> mirrors)
{
    std::int64_t bytes = 0;
    for (const DeviceMirror& mirror : mirrors) {
        bytes += deviceAligned(mirror.bytes);
    }
    return bytes;
}

} // namespace

/// Variables, and the slots of optimizers or what a step of its own keeps; there may be none.
std::vector<DeviceMirror> DeviceStep::stateMirrors() const
{
    std::vector<DeviceMirror> mirrors{mirrorOf(m_variables.memory())};
    for (const auto& optimizer : m_optimizers) {
        mirrors.push_back(mirrorOf(optimizer->slotMemory()));
    }
    if (m_ownStep != nullptr) {
        for (const std::span<std::byte> memory : m_ownStep->memory()) {
            mirrors.push_back(
                {.host = memory.data(), .bytes = static_cast<std::int64_t>(memory.size())});
        }
    }
    std::erase_if(mirrors, [](const DeviceMirror& mirror) { return mirror.bytes == 0; });
    return mirrors;
}

std::vector<DeviceMirror> DeviceStep::mirrorsAt(std::byte* memory) const
{
    std::vector<DeviceMirror> mirrors = stateMirrors();
    mirrors.push_back(mirrorOf(m_network.denseParts()));
    mirrors.push_back(mirrorOf(m_network.valueMemory()));
    for (std::size_t index = 0; index < mirrors.size(); ++index) {
        mirrors[index].device = memory + endOf(std::span(mirrors).first(index));
    }
    return mirrors;
}

/// Plans with addresses of nothing first: what does not fit is not begun.
Result<void> DeviceStep::layOut()
{
    DevicePlan& plan = first().plan;
    plan.mirrors = mirrorsAt(noAddress());
    m_stateMirrors = stateMirrors().size();
    const std::int64_t rows = m_network.maxRows();
    CANNERY_TRY_ASSIGN(
        const std::int64_t ofProgram,
        DeviceProgram::bytesOf(plan, expectedShape(m_lowered.graph, rows, rowWeightWidth()),
                               kMeasured));
    const std::span<const DeviceMirror> mirrors = plan.mirrors;
    const std::int64_t all = endOf(mirrors);
    const std::int64_t fixed = endOf(mirrors.first(mirrors.size() - 1));
    CANNERY_TRY(
        checkDeviceMemory({.fixed = fixed, .ofBatch = all - fixed + ofProgram, .rows = rows},
                          freeBytes() + tableBytes(), first().accelerator.facts().memoryBytes));
    m_programBytes = ofProgram;
    if (all + ofProgram > freeBytes()) {
        dropTable();
    }
    std::vector<std::unique_ptr<kernels::AcceleratorMemory>> memory(m_members.size());
    for (std::size_t member = 0; member < m_members.size(); ++member) {
        CANNERY_TRY_ASSIGN(memory[member], m_members[member].accelerator.allocate(all));
    }
    for (std::size_t member = 0; member < m_members.size(); ++member) {
        m_members[member].memory = std::move(memory[member]);
        m_members[member].plan.mirrors = mirrorsAt(m_members[member].memory->data());
    }
    return {};
}

Result<std::byte*> DeviceStep::variables()
{
    if (m_failure) {
        return tl::make_unexpected(*m_failure);
    }
    if (!isLaidOut()) {
        CANNERY_TRY(layOut());
    }
    if (m_hostMayDiffer) {
        uploadState();
    }
    return first().plan.mirrors.front().device;
}

std::int64_t DeviceStep::spareBytes()
{
    const std::int64_t toCome = std::max<std::int64_t>(
        0, kProgramsBesideTable - static_cast<std::int64_t>(m_programs.size()));
    return freeBytes() - toCome * m_programBytes;
}

/// Of the fullest one.
std::int64_t DeviceStep::freeBytes()
{
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const DeviceMember& member : m_members) {
        least = std::min(least, freeDeviceMemory(member.accelerator));
    }
    return least;
}

/// A batch that has the longest of all rows must fit, too.
Result<void> DeviceStep::measureSequences()
{
    BatchShape shape = expectedShape(m_lowered.graph, m_network.maxRows(), rowWeightWidth());
    if (shape.longest == 0) {
        return {};
    }
    CANNERY_TRY_ASSIGN(const std::int64_t longest,
                       DeviceTable::longestRow(m_lowered.graph, *m_rows));
    shape.longest = roundedSteps(std::max<std::int64_t>(1, longest));
    CANNERY_TRY_ASSIGN(m_programBytes, DeviceProgram::bytesOf(first().plan, shape, kMeasured));
    return checkMemoryFor(shape);
}

/// Says what a program lacks beside the memory that is in use.
Result<void> DeviceStep::checkMemoryFor(const BatchShape& shape)
{
    BatchShape ofOneRow = shape;
    ofOneRow.rows = 1;
    ofOneRow.mostRows = 1;
    CANNERY_TRY_ASSIGN(const std::int64_t all,
                       DeviceProgram::bytesOf(first().plan, shape, kMeasured));
    CANNERY_TRY_ASSIGN(const std::int64_t fixed,
                       DeviceProgram::bytesOf(first().plan, ofOneRow, kMeasured));
    return checkDeviceMemory({.fixed = fixed, .ofBatch = all - fixed, .rows = shape.rows},
                             freeBytes(), first().accelerator.facts().memoryBytes);
}

} // namespace cannery::plan
