// SPDX-License-Identifier: Apache-2.0
#include "core/layers/dense/bias_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/layer_errors.h"
#include "core/layers/placement.h"

#include <algorithm>

namespace cannery::layers {

BiasLayer::BiasLayer(const spec::BiasLayer& message) : m_units(message.units()) {}

Result<LayerSignature> BiasLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("bias", inputs, 0));
    LayerSignature signature;
    signature.output.width = m_units;
    signature.variables.push_back(
        {.suffix = "bias", .shape = {m_units}, .initializer = graph::zeros()});
    return signature;
}

void BiasLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_biasGrad = &kernels::biasGradKernels({.rows = buffers.maxRows, .cols = m_units});
    if (buffers.variables[0].gradient != nullptr) {
        buffers.variables[0].gradient->push_back({.rowCount = 1});
    }
}

void BiasLayer::forward(const StepContext& step)
{
    const std::span<const float> bias = m_buffers.variables[0].values.flat();
    const kernels::MatrixView dst = m_buffers.output->output(step.rows);
    for (std::int64_t row = 0; row < step.rows; ++row) {
        std::copy(bias.begin(), bias.end(), dst.at(row));
    }
}

void BiasLayer::backward(const StepContext& step)
{
    if (auto* gradient = m_buffers.variables[0].gradient; gradient != nullptr) {
        m_biasGrad->run(step.pool, m_buffers.output->gradient(step.rows),
                        gradient->front().dense.flat());
    }
}

Result<void> BiasLayer::placeForward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::MatrixView dst = program.at(m_buffers.output->output(placement.rows));
    // A layer without inputs has nothing to add the bias to.
    program.add(kernels::FillValues{.dst = dst, .value = 0.0F}, placement.label);
    program.add(kernels::Activate{.src = dst,
                                  .bias = program.at(m_buffers.variables[0].values.data),
                                  .dst = dst},
                placement.label);
    return {};
}

Result<void> BiasLayer::placeBackward(const Placement& placement)
{
    if (auto* gradient = m_buffers.variables[0].gradient; gradient != nullptr) {
        placeBiasGradient(placement, *m_buffers.output, gradient->front());
    }
    return {};
}

/// bias * ones([batch, units]): the graph has no other way to give each row of a batch the bias.
storage::EmittedValue BiasLayer::emit(const EmitContext& context) const
{
    storage::GraphDefBuilder& graph = context.graph;
    const storage::NodeRef units = graph.constant("units", static_cast<std::int32_t>(m_units));
    const storage::NodeRef shape =
        graph.add("Pack", "shape", {context.batchSize, units}, {{"N", 2}, {"T", DType::Int32}});
    const storage::NodeRef ones = graph.add("Fill", "ones", {shape, graph.constant("one", 1.0F)},
                                            {{"T", DType::Float32}, {"index_type", DType::Int32}});
    return {.dense =
                graph.add("Mul", "Mul", {context.variables[0]->read, ones}, {{"T", DType::Float32}})
                    .input()};
}

std::unique_ptr<Layer> makeBiasLayer(const spec::Layer& message)
{
    return std::make_unique<BiasLayer>(message.bias());
}

} // namespace cannery::layers
