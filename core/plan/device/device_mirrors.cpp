// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_mirrors.h"

#include "core/plan/device/device_memory.h"

#include <algorithm>
#include <utility>

namespace cannery::plan {

namespace {

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
std::vector<DeviceMirror> DeviceMirrors::stateMirrors() const
{
    std::vector<DeviceMirror> mirrors{mirrorOf(m_parts.variables.memory())};
    for (const auto& optimizer : m_parts.optimizers) {
        mirrors.push_back(mirrorOf(optimizer->slotMemory()));
    }
    if (m_parts.ownStep != nullptr) {
        for (const std::span<std::byte> memory : m_parts.ownStep->memory()) {
            mirrors.push_back(
                {.host = memory.data(), .bytes = static_cast<std::int64_t>(memory.size())});
        }
    }
    std::erase_if(mirrors, [](const DeviceMirror& mirror) { return mirror.bytes == 0; });
    return mirrors;
}

std::vector<DeviceMirror> DeviceMirrors::mirrorsAt(std::byte* memory) const
{
    std::vector<DeviceMirror> mirrors = stateMirrors();
    mirrors.push_back(mirrorOf(m_parts.network.gradients().denseParts()));
    mirrors.push_back(mirrorOf(m_parts.network.valueMemory()));
    for (std::size_t index = 0; index < mirrors.size(); ++index) {
        mirrors[index].device = memory + endOf(std::span(mirrors).first(index));
    }
    return mirrors;
}

void DeviceMirrors::plan()
{
    m_parts.members.front().plan.mirrors = mirrorsAt(noAddress());
    m_stateMirrors = stateMirrors().size();
}

std::int64_t DeviceMirrors::bytes() const
{
    return endOf(first().plan.mirrors);
}

std::int64_t DeviceMirrors::fixedBytes() const
{
    const std::span<const DeviceMirror> mirrors = first().plan.mirrors;
    return endOf(mirrors.first(mirrors.size() - 1));
}

Result<void> DeviceMirrors::allocate()
{
    const std::int64_t all = bytes();
    std::vector<DeviceMember>& members = m_parts.members;
    std::vector<std::unique_ptr<kernels::AcceleratorMemory>> memory(members.size());
    for (std::size_t member = 0; member < members.size(); ++member) {
        CANNERY_TRY_ASSIGN(memory[member], members[member].accelerator.allocate(all));
    }
    for (std::size_t member = 0; member < members.size(); ++member) {
        members[member].memory = std::move(memory[member]);
        members[member].plan.mirrors = mirrorsAt(members[member].memory->data());
    }
    return {};
}

void DeviceMirrors::forget()
{
    for (DeviceMember& member : m_parts.members) {
        member.memory.reset();
    }
    m_hostMayDiffer = true;
}

void DeviceMirrors::upload()
{
    if (!m_hostMayDiffer) {
        return;
    }
    for (const DeviceMember& member : m_parts.members) {
        for (const DeviceMirror& mirror : std::span(member.plan.mirrors).first(m_stateMirrors)) {
            member.accelerator.upload(kernels::Queue::Compute, mirror.device, mirror.host,
                                      mirror.bytes);
        }
    }
    m_hostMayDiffer = false;
}

Result<void> DeviceMirrors::bringState()
{
    CANNERY_TRY(m_parts.failure.check()); // what is here may be older than anybody thinks
    if (!m_hasNewerState) {
        return {};
    }
    kernels::Accelerator& accelerator = first().accelerator;
    for (const DeviceMirror& mirror : std::span(first().plan.mirrors).first(m_stateMirrors)) {
        accelerator.download(kernels::Queue::Compute, mirror.host, mirror.device, mirror.bytes);
    }
    CANNERY_TRY(m_parts.failure.keep(accelerator.synchronize()));
    m_hasNewerState = false;
    for (const auto& optimizer : m_parts.optimizers) {
        optimizer->forgetZeros();
    }
    return {};
}

Result<bool> DeviceMirrors::bring(const void* host, std::int64_t bytes)
{
    const auto* const at = static_cast<const std::byte*>(host);
    const std::vector<DeviceMirror>& mirrors = first().plan.mirrors;
    const auto mirror = std::ranges::find_if(mirrors, [&](const DeviceMirror& one) {
        return at >= one.host && at < one.host + one.bytes;
    });
    if (mirror == mirrors.end()) {
        return false;
    }
    const std::int64_t offset = at - mirror->host;
    kernels::Accelerator& accelerator = first().accelerator;
    accelerator.download(kernels::Queue::Compute, mirror->host + offset, mirror->device + offset,
                         bytes);
    CANNERY_TRY(m_parts.failure.keep(accelerator.synchronize()));
    return true;
}

} // namespace cannery::plan
