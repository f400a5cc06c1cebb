// SPDX-License-Identifier: Apache-2.0
#include "core/layers/noise/dropout_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/noise/random_emission.h"
#include "kernels/ops/vector_ops.h"
#include "storage/tf/graphs/float_nodes.h"

#include <cstring>

namespace cannery::layers {

DropoutLayer::DropoutLayer(const spec::DropoutLayer& message)
    : m_rate(static_cast<float>(message.rate()))
{}

Result<LayerSignature> DropoutLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("dropout", inputs, 1));
    CANNERY_TRY(expectDense("dropout", *inputs[0]));
    return signatureLike(*inputs[0]);
}

void DropoutLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_kernels = &kernels::dropoutKernels({.rows = buffers.maxRows, .cols = buffers.output->width});
}

void DropoutLayer::apply(const StepContext& step, kernels::ConstMatrixView src,
                         kernels::MatrixView dst)
{
    // Scaling by 1 / (1 - rate) would give NaN for 0 / 0.
    if (m_rate >= 1.0F) {
        kernels::vectorKernels().fill(step.pool, dst.flat(), 0.0F);
        return;
    }
    // The mask depends on seed, layer, step and row only: backward() finds the same one again, and
    // it is not stored.
    m_kernels->run(step.pool,
                   {.rate = m_rate,
                    .seed = step.seed,
                    .layer = m_buffers.layerIndex,
                    .step = step.step,
                    .firstRow = step.firstRow + static_cast<std::uint64_t>(step.rowBegin)},
                   src, dst);
}

void DropoutLayer::forward(const StepContext& step)
{
    const kernels::ConstMatrixView src = m_buffers.inputs[0]->values(step.range());
    const kernels::MatrixView dst = m_buffers.output->output(step.range());
    if (step.mode == Mode::Train) {
        apply(step, src, dst);
    } else {
        kernels::vectorKernels().copy(step.pool, src, dst);
    }
}

void DropoutLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad == nullptr) {
        return;
    }
    const kernels::ConstMatrixView dstGrad = m_buffers.output->gradient(step.range());
    const kernels::MatrixView srcGrad = m_buffers.inputs[0]->gradient(step.range());
    if (step.mode == Mode::Train) {
        apply(step, dstGrad, srcGrad);
    } else {
        kernels::vectorKernels().copy(step.pool, dstGrad, srcGrad);
    }
}

void DropoutLayer::place(const Placement& placement, kernels::ConstMatrixView src,
                         kernels::MatrixView dst) const
{
    kernels::AcceleratorProgram& program = placement.program;
    if (m_rate >= 1.0F) {
        program.add(kernels::FillValues{.dst = program.at(dst), .value = 0.0F}, placement.label);
        return;
    }
    // Step and first row change with each step, so the program reads them from a block that is
    // filled before each launch.
    const auto write = [firstRow = placement.firstRow](std::int64_t step, std::byte* destination) {
        const kernels::DropoutStep numbers{.step = static_cast<std::uint64_t>(step),
                                           .firstRow = firstRow};
        std::memcpy(destination, &numbers, sizeof numbers);
    };
    program.add(kernels::Dropout{.rate = m_rate,
                                 .seed = placement.seed,
                                 .layer = m_buffers.layerIndex,
                                 .step = program.perStep(sizeof(kernels::DropoutStep), write),
                                 .src = program.at(src),
                                 .dst = program.at(dst)},
                placement.label);
}

Result<void> DropoutLayer::placeForward(const Placement& placement)
{
    const kernels::ConstMatrixView src = m_buffers.inputs[0]->values(placement.rows);
    const kernels::MatrixView dst = m_buffers.output->output(placement.rows);
    if (placement.mode == Mode::Train) {
        place(placement, src, dst);
    } else {
        placement.program.add(
            kernels::CopyValues{.src = placement.program.at(src), .dst = placement.program.at(dst)},
            placement.label);
    }
    return {};
}

Result<void> DropoutLayer::placeBackward(const Placement& placement)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        place(placement, m_buffers.output->gradient(placement.rows),
              m_buffers.inputs[0]->gradient(placement.rows));
    }
    return {};
}

storage::EmittedValue DropoutLayer::emit(const EmitContext& context) const
{
    // Dropout is the identity in inference.
    return context.inputs[0];
}

storage::EmittedValue DropoutLayer::emitTraining(const EmitContext& context,
                                                 std::vector<storage::NodeRef>& /*updates*/) const
{
    const storage::NodeRef input = nodeRef(context.inputs[0].dense);
    const storage::NodeRef shape = storage::FloatNodes(context.graph).shape(input);
    return {.dense = emitDropout(context.graph, input, m_rate, shape).input()};
}

std::unique_ptr<Layer> makeDropoutLayer(const spec::Layer& message)
{
    return std::make_unique<DropoutLayer>(message.dropout());
}

} // namespace cannery::layers
