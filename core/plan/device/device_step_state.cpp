// SPDX-License-Identifier: Apache-2.0
// What goes up from the host's memory before steps, and comes back when it is read.
#include "core/plan/device/device_step.h"

#include <algorithm>

namespace cannery::plan {

Result<const features::EncodedRows*> DeviceStep::gather(std::span<const std::int64_t> rows)
{
    CANNERY_TRY(m_rows->gather(rows, m_batches.front(), m_runBlocks));
    return &m_batches.front();
}

void DeviceStep::uploadState()
{
    for (const DeviceMember& member : m_members) {
        for (const DeviceMirror& mirror : std::span(member.plan.mirrors).first(m_stateMirrors)) {
            member.accelerator.upload(kernels::Queue::Compute, mirror.device, mirror.host,
                                      mirror.bytes);
        }
    }
    m_hostMayDiffer = false;
}

Result<void> DeviceStep::bringState()
{
    if (m_failure) { // what is here may be older than anybody thinks
        return tl::make_unexpected(*m_failure);
    }
    if (!m_hasNewerState) {
        return {};
    }
    kernels::Accelerator& accelerator = first().accelerator;
    for (const DeviceMirror& mirror : std::span(first().plan.mirrors).first(m_stateMirrors)) {
        accelerator.download(kernels::Queue::Compute, mirror.host, mirror.device, mirror.bytes);
    }
    CANNERY_TRY(keepFailure(accelerator.synchronize()));
    m_hasNewerState = false;
    for (const auto& optimizer : m_optimizers) {
        optimizer->forgetZeros();
    }
    return {};
}

Result<void> DeviceStep::bring(const void* host, std::int64_t bytes)
{
    const auto* const at = static_cast<const std::byte*>(host);
    const std::vector<DeviceMirror>& mirrors = first().plan.mirrors;
    const auto mirror = std::ranges::find_if(mirrors, [&](const DeviceMirror& one) {
        return at >= one.host && at < one.host + one.bytes;
    });
    if (mirror == mirrors.end()) {
        const Result<bool> isOfBatch = m_last->front()->bring(host, bytes);
        return isOfBatch ? Result<void>() : keepFailure(tl::make_unexpected(isOfBatch.error()));
    }
    const std::int64_t offset = at - mirror->host;
    kernels::Accelerator& accelerator = first().accelerator;
    accelerator.download(kernels::Queue::Compute, mirror->host + offset, mirror->device + offset,
                         bytes);
    return keepFailure(accelerator.synchronize());
}

Result<void> DeviceStep::bringGradients()
{
    if (!m_hasGradients || m_last == nullptr) {
        return {};
    }
    const std::span<float> dense = m_network.denseParts();
    if (!dense.empty()) {
        CANNERY_TRY(bring(dense.data(), static_cast<std::int64_t>(dense.size_bytes())));
    }
    CANNERY_TRY(keepFailure(m_last->front()->bringSparseGradients()));
    m_hasGradients = false;
    return {};
}

Result<void> DeviceStep::bringValue(graph::ValueId id, std::int64_t rows)
{
    if (!m_hasValues || m_last == nullptr) {
        return {};
    }
    const graph::ValueKind kind = m_lowered.graph.value(id).kind;
    if (kind == graph::ValueKind::Sequence) {
        const auto offsets = m_last->front()->bringStepOffsets();
        if (!offsets) {
            return keepFailure(tl::make_unexpected(offsets.error()));
        }
        m_network.bindStepOffsets(id, *offsets);
        return {};
    }
    if (kind != graph::ValueKind::Dense) {
        return {};
    }
    m_last->front()->bindInputs();
    const kernels::ConstMatrixView values = m_network.valuesOf(id, rows);
    if (values.rows * values.cols == 0) {
        return {};
    }
    return bring(values.data, values.rows * values.cols * std::int64_t{sizeof(float)});
}

} // namespace cannery::plan
