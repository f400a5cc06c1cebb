// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/program.h"

#include "core/base/check.h"

#include <array>
#include <utility>
#include <variant>

namespace cannery::kernels {

namespace {

constexpr std::int64_t kScratchAlignment = 256;
/// The alignment of cudaMalloc(), which kernels may rely on.
constexpr std::int64_t kFieldAlignment = 16;

std::int64_t roundedUp(std::int64_t bytes, std::int64_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

constexpr auto kNames = std::to_array<std::string_view>({
    "advance_step",
    "gather_rows",
    "gather_ids",
    "fill",
    "copy",
    "product",
    "activation",
    "activation_gradient",
    "sum_rows",
    "lookup",
    "lookup_gradient",
    "lookup_dense_gradient",
    "add_sparse",
    "scatter_add",
    "dropout",
    "batch_moments",
    "merge_moments",
    "batch_normalize",
    "batch_norm_parameter_gradients",
    "merge_batch_norm_gradients",
    "batch_norm_src_gradient",
    "update_moving",
    "loss",
    "sum_losses",
    "mean_of_columns",
    "keep_loss",
    "keep_values",
    "clip_by_value",
    "sum_of_squares",
    "scale_by_norm",
    "dense_update",
    "sparse_update",
    "average_weights",
    "place_steps",
    "gather_steps",
    "gather_step_ids",
    "count_ids",
    "repeat_steps",
    "sum_steps",
    "recurrent_step",
    "recurrent_gradient",
    "exchange_parts",
    "gather_parts",
    "gather_sparse",
    "sum_parts",
    "divide_by_length",
    "center_distances",
    "nearest_centers",
    "sum_by_center",
    "move_centers",
    "begin_iteration",
    "sum_gradients",
});
/// Names are listed in the order of the variant's alternatives.
static_assert(kNames.size() == std::variant_size_v<Operation>);

} // namespace

std::string_view nameOf(const Operation& operation)
{
    return kNames[operation.index()];
}

void AcceleratorProgram::mirror(const void* host, std::int64_t bytes, std::byte* device)
{
    if (bytes > 0) {
        m_mirrors.push_back({static_cast<const std::byte*>(host), bytes, device});
    }
}

const std::byte* AcceleratorProgram::translated(const void* host) const
{
    const auto* at = static_cast<const std::byte*>(host);
    // A program has a few mirrors, so a search is faster than a map.
    for (const Mirror& mirror : m_mirrors) {
        if (at >= mirror.host && at < mirror.host + mirror.bytes) {
            return mirror.device + (at - mirror.host);
        }
    }
    CANNERY_CHECK(!"the address is in a mirror");
    return nullptr;
}

std::byte* AcceleratorProgram::scratch(std::int64_t bytes)
{
    // A bump allocator: a program is built once and its memory is freed as a whole.
    std::byte* const memory = m_scratch + m_scratchBytes;
    m_scratchBytes += roundedUp(bytes, kScratchAlignment);
    return memory;
}

StepData AcceleratorProgram::perStep(std::int64_t bytes, StepWriter write)
{
    const StepData data{.blocks = m_stepBlocks,
                        .blockBytes = m_blockBytes,
                        .cursor = m_cursor,
                        .offset = m_stepBytes};
    m_fields.push_back({m_stepBytes, std::move(write)});
    m_stepBytes += roundedUp(bytes, kFieldAlignment);
    return data;
}

void AcceleratorProgram::add(const Operation& operation, std::string_view label)
{
    m_operations.push_back(operation);
    m_labels.emplace_back(label);
}

void AcceleratorProgram::begin(std::byte* scratch, std::byte* stepBlocks, std::int64_t blockBytes,
                               std::int64_t* cursor)
{
    // The first pass only measures: addresses start at null, and sizes are what counts.
    m_mirrors.clear();
    m_operations.clear();
    m_labels.clear();
    m_fields.clear();
    m_scratch = scratch;
    m_scratchBytes = 0;
    m_stepBlocks = stepBlocks;
    m_blockBytes = blockBytes;
    m_stepBytes = 0;
    m_cursor = cursor;
}

void AcceleratorProgram::writeStep(std::int64_t step, std::byte* block) const
{
    for (const Field& field : m_fields) {
        field.write(step, block + field.offset);
    }
}

} // namespace cannery::kernels
