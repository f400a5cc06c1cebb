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
    bind(buffers);
    m_kernels = &kernels::dropoutKernels({.rows = buffers.maxRows, .cols = buffers.output->width});
}

void DropoutLayer::draw(const StepContext& step, Pass /*pass*/, kernels::ConstMatrixView src,
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
                    .layer = buffers().layerIndex,
                    .step = step.step,
                    .firstRow = step.firstRow + static_cast<std::uint64_t>(step.rowBegin)},
                   src, dst);
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
                                 .layer = buffers().layerIndex,
                                 .step = program.perStep(sizeof(kernels::DropoutStep), write),
                                 .src = program.at(src),
                                 .dst = program.at(dst)},
                placement.label);
}

Result<void> DropoutLayer::placeForward(const Placement& placement)
{
    const kernels::ConstMatrixView src = buffers().inputs[0]->values(placement.rows);
    const kernels::MatrixView dst = buffers().output->output(placement.rows);
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
    if (buffers().inputs[0]->grad != nullptr) {
        place(placement, buffers().output->gradient(placement.rows),
              buffers().inputs[0]->gradient(placement.rows));
    }
    return {};
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
