// SPDX-License-Identifier: Apache-2.0
#include "core/layers/inputs/sequence_input_layer.h"

#include "core/layers/layer_errors.h"
#include "core/layers/placement.h"
#include "core/layers/recurrence/sequence_emission.h"
#include "kernels/device/row_blocks.h"

#include <algorithm>

namespace cannery::layers {

namespace {

constexpr std::string_view kKind = "sequence_input";
constexpr std::string_view kTaken = "sequences, and at most one vector for each row";

/// The same numbers at every step of a row: columns, or what a layer makes of them.
bool isContext(const graph::Value& value)
{
    return value.kind == graph::ValueKind::Columns ||
           (value.kind == graph::ValueKind::Dense && graph::rowShape(value).size() == 1);
}

/// A sequence has its offsets itself; one of indicators has one id a step, so its rows' ids are its
/// steps.
std::span<const std::int64_t> stepOffsetsOf(const ValueBuffer& sequence)
{
    return sequence.kind == graph::ValueKind::Sequence ? sequence.stepOffsets
                                                       : sequence.ids.rowOffsets;
}

void copyRow(const float* from, std::int64_t count, float* to)
{
    std::copy(from, from + count, to);
}

/// How often each id occurs.
void countIds(const kernels::IdsView& ids, std::int64_t first, std::int64_t end, std::int64_t width,
              float* counts)
{
    std::fill(counts, counts + width, 0.0F);
    for (std::int64_t entry = first; entry < end; ++entry) {
        const std::int32_t id = ids.ids[static_cast<std::size_t>(entry)];
        if (id >= 0 && id < width) {
            counts[id] += ids.weight(entry);
        }
    }
}

} // namespace

Result<LayerSignature>
SequenceInputLayer::signature(std::span<const graph::Value* const> inputs) const
{
    LayerSignature signature;
    signature.output.kind = graph::ValueKind::Sequence;
    bool hasSequence = false;
    bool hasContext = false;
    for (const graph::Value* input : inputs) {
        const bool isSequence = input->kind == graph::ValueKind::Sequence ||
                                (input->kind == graph::ValueKind::Indicator && input->isSequence);
        // The context comes last and once: TensorFlow's concatenate_context_input() appends it to
        // each step.
        const bool isLast = isContext(*input) && !hasContext;
        if (!isLast && (!isSequence || hasContext)) {
            return fail(ErrorCode::InvalidArgument, kInputKind, kKind, graph::name(input->kind),
                        input->name, kTaken);
        }
        hasContext = hasContext || isLast;
        hasSequence = hasSequence || isSequence;
        signature.output.width += input->width;
    }
    if (!hasSequence) {
        return fail(ErrorCode::InvalidArgument, kNoColumns, kKind);
    }
    return signature;
}

void SequenceInputLayer::prepare(const LayerBuffers& buffers)
{
    m_output = buffers.output;
    m_parts.clear();
    std::int64_t column = 0;
    for (const ValueBuffer* input : buffers.inputs) {
        if (input->kind == graph::ValueKind::Columns) {
            // The columns of a context are never concatenated: each run is copied from its own
            // buffer.
            for (const ColumnRun& run : input->runs) {
                m_parts.push_back({column + run.firstColumn, run.source, true});
            }
        } else {
            m_parts.push_back({column, input, input->kind == graph::ValueKind::Dense});
        }
        column += input->width;
    }
}

/// Calls function(part, range of rows) for all of them, in blocks of rows.
template <typename Function>
void SequenceInputLayer::forEachPart(const StepContext& step, Function&& function) const
{
    // Blocks are cut by the mean number of steps. Only the speed depends on it: rows are
    // independent.
    const std::int64_t perRow = m_output->stepCount() / std::max<std::int64_t>(step.rows, 1) + 1;
    kernels::forEachRowBlock(step.pool, step.rows, perRow * m_output->width,
                             [&](kernels::BlockRange rows, int) {
                                 for (const Part& part : m_parts) {
                                     function(part, rows);
                                 }
                             });
}

void SequenceInputLayer::write(const Part& part, kernels::BlockRange rows) const
{
    const ValueBuffer& source = *part.source;
    const std::span<const std::int64_t> offsets = m_output->stepOffsets;
    const std::int64_t width = source.width;
    const auto target = [&](std::int64_t step) {
        return m_output->writable + step * m_output->width + part.firstColumn;
    };
    for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
        const std::int64_t first = offsets[static_cast<std::size_t>(row)];
        const std::int64_t end = offsets[static_cast<std::size_t>(row) + 1];
        for (std::int64_t step = first; step < end; ++step) {
            // Made once for a row's first step, and copied to its others.
            if (part.isContext && step > first) {
                copyRow(target(first), width, target(step));
            } else if (source.kind == graph::ValueKind::Indicator) {
                const auto& ids = source.ids;
                const std::int64_t from =
                    part.isContext ? ids.rowOffsets[static_cast<std::size_t>(row)] : step;
                const std::int64_t to =
                    part.isContext ? ids.rowOffsets[static_cast<std::size_t>(row) + 1] : step + 1;
                countIds(ids, from, to, width, target(step));
            } else {
                copyRow(source.data + (part.isContext ? row : step) * width, width, target(step));
            }
        }
    }
}

void SequenceInputLayer::forward(const StepContext& step)
{
    // All sequences of a batch have the same steps, so those of the first part are the output's.
    m_memory.bind(stepOffsetsOf(*m_parts.front().source), *m_output);
    forEachPart(step, [&](const Part& part, kernels::BlockRange rows) { write(part, rows); });
}

/// The gradient of a row's context is the sum over its steps.
void SequenceInputLayer::addContext(const Part& part, std::int64_t row) const
{
    const ValueBuffer& source = *part.source;
    float* sums = source.grad + row * source.width;
    // Written, not added to, so that a row without steps gets zeros.
    std::fill(sums, sums + source.width, 0.0F);
    const auto index = static_cast<std::size_t>(row);
    for (std::int64_t step = m_output->stepOffsets[index]; step < m_output->stepOffsets[index + 1];
         ++step) {
        const float* grad = m_output->grad + step * m_output->width + part.firstColumn;
        for (std::int64_t column = 0; column < source.width; ++column) {
            sums[column] += grad[column];
        }
    }
}

void SequenceInputLayer::backward(const StepContext& step)
{
    forEachPart(step, [&](const Part& part, kernels::BlockRange rows) {
        if (part.source->grad == nullptr) {
            return;
        }
        if (part.isContext) {
            for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
                addContext(part, row);
            }
            return;
        }
        const std::int64_t width = part.source->width;
        const std::int64_t end =
            m_output->stepOffsets[static_cast<std::size_t>(rows.first + rows.count)];
        for (std::int64_t at = m_output->stepOffsets[static_cast<std::size_t>(rows.first)];
             at < end; ++at) {
            copyRow(m_output->grad + at * m_output->width + part.firstColumn, width,
                    part.source->grad + at * width);
        }
    });
}

void SequenceInputLayer::placeContext(const Placement& placement, const Part& part) const
{
    kernels::AcceleratorProgram& program = placement.program;
    const ValueBuffer& source = *part.source;
    kernels::ConstMatrixView values;
    if (source.kind == graph::ValueKind::Indicator) {
        const kernels::MatrixView counts = program.scratchMatrix(placement.rows, source.width);
        // Counted once for each row, then repeated for its steps, as on the CPU.
        program.add(kernels::CountIds{.ids = source.placedIds, .dst = counts}, placement.label);
        values = counts;
    } else {
        values = program.at(source.values(placement.rows));
    }
    program.add(
        kernels::RepeatSteps{.steps = placement.steps,
                             .src = values,
                             .dst = m_output->placedSteps.columns(part.firstColumn, source.width)},
        placement.label);
}

Result<void> SequenceInputLayer::placeForward(const Placement& placement)
{
    placeSequence(placement, *m_output);
    for (const Part& part : m_parts) {
        const ValueBuffer& source = *part.source;
        const kernels::MatrixView target =
            m_output->placedSteps.columns(part.firstColumn, source.width);
        if (part.isContext) {
            placeContext(placement, part);
        } else if (source.kind == graph::ValueKind::Indicator) {
            placement.program.add(kernels::CountIds{.ids = source.placedIds, .dst = target},
                                  placement.label);
        } else {
            placement.program.add(kernels::CopyValues{.src = source.placedSteps, .dst = target},
                                  placement.label);
        }
    }
    return {};
}

Result<void> SequenceInputLayer::placeBackward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    for (const Part& part : m_parts) {
        const ValueBuffer& source = *part.source;
        const kernels::ConstMatrixView grad =
            m_output->placedStepGrads.columns(part.firstColumn, source.width);
        if (part.isContext && source.grad != nullptr) {
            program.add(kernels::SumSteps{.steps = placement.steps,
                                          .src = grad,
                                          .dst = program.at(source.gradient(placement.rows))},
                        placement.label);
        } else if (!part.isContext && source.wantsGradient) {
            program.add(kernels::CopyValues{.src = grad, .dst = source.placedStepGrads},
                        placement.label);
        }
    }
    return {};
}

storage::EmittedValue SequenceInputLayer::emit(const EmitContext& context) const
{
    return emitSequenceInput(context);
}

std::unique_ptr<Layer> makeSequenceInputLayer(const spec::Layer&)
{
    return std::make_unique<SequenceInputLayer>();
}

} // namespace cannery::layers
