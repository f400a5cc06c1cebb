// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/permute_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"

#include <algorithm>
#include <numeric>

namespace cannery::layers {

namespace {

constexpr ErrorKind kDims{
    "layers.permute_dims",
    "The dims of a layer permute are {}, but '{}' gives rows of shape {}: name each of their "
    "dimensions 1 to {} once."};

bool isOrderOf(std::vector<std::int64_t> dims, std::size_t rank)
{
    std::vector<std::int64_t> all(rank);
    std::iota(all.begin(), all.end(), 1);
    std::ranges::sort(dims);
    return dims == all;
}

} // namespace

PermuteLayer::PermuteLayer(const spec::PermuteLayer& message)
    : m_dims(message.dims().begin(), message.dims().end())
{}

Result<LayerSignature> PermuteLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("permute", inputs, 1));
    CANNERY_TRY(expectDense("permute", *inputs[0]));
    const std::vector<std::int64_t> shape = graph::rowShape(*inputs[0]);
    if (!isOrderOf(m_dims, shape.size()) || shape.size() > kernels::StridedCopyProblem::kMostAxes) {
        return fail(ErrorCode::InvalidArgument, kDims, Shape(m_dims).toString(), inputs[0]->name,
                    graph::shapeText(*inputs[0]), shape.size());
    }
    LayerSignature signature = signatureLike(*inputs[0]);
    signature.output.shape.clear();
    for (const std::int64_t dim : m_dims) {
        signature.output.shape.push_back(shape[static_cast<std::size_t>(dim - 1)]);
    }
    return signature;
}

void PermuteLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const std::vector<std::int64_t>& shape = buffers.inputs[0]->shape;
    std::vector<std::int64_t> srcSteps(shape.size(), 1);
    for (std::size_t i = shape.size() - 1; i-- > 0;) {
        srcSteps[i] = srcSteps[i + 1] * shape[i + 1];
    }
    m_copy = {.rank = shape.size()};
    std::int64_t dstStep = 1;
    for (std::size_t i = m_dims.size(); i-- > 0;) {
        const auto from = static_cast<std::size_t>(m_dims[i] - 1);
        m_copy.axes[i] = {.size = shape[from], .srcStep = srcSteps[from], .dstStep = dstStep};
        dstStep *= shape[from];
    }
    m_kernels = &kernels::stridedCopyKernels(m_copy);
}

void PermuteLayer::forward(const StepContext& step)
{
    m_kernels->run(m_copy, step.pool, m_buffers.inputs[0]->values(step.range()),
                   m_buffers.output->output(step.range()));
}

void PermuteLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        m_kernels->run(m_copy.reversed(), step.pool, m_buffers.output->gradient(step.range()),
                       m_buffers.inputs[0]->gradient(step.range()));
    }
}

storage::EmittedValue PermuteLayer::emit(const EmitContext& context) const
{
    // The batch stays in front.
    std::vector<std::int32_t> order{0};
    for (const std::int64_t dim : m_dims) {
        order.push_back(static_cast<std::int32_t>(dim));
    }
    const storage::NodeRef perm = context.graph.constant("transpose/perm", order);
    return {.dense = context.graph
                         .add("Transpose", "transpose", {nodeRef(context.inputs[0].dense), perm},
                              {{"T", DType::Float32}, {"Tperm", DType::Int32}})
                         .input()};
}

std::unique_ptr<Layer> makePermuteLayer(const spec::Layer& message)
{
    return std::make_unique<PermuteLayer>(message.permute());
}

} // namespace cannery::layers
