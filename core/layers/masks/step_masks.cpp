// SPDX-License-Identifier: Apache-2.0
#include "core/layers/masks/step_masks.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "kernels/device/row_blocks.h"
#include "kernels/ops/vector_ops.h"

#include <memory>

namespace cannery::layers {

namespace {

constexpr ErrorKind kStepMask{
    "layers.pooling_mask",
    "The input '{}' of shape {} cannot mask the steps of '{}' of shape {} for a layer {}: a mask "
    "has one number for each step, 0 where it is hidden, so give it the shape {}."};

/// What all masks share: one input, from which no gradient comes.
class StepMaskLayer : public Layer
{
public:
    /// Of rows with as many dimensions in front as the input has less `apart`, and in any case
    /// `most`.
    StepMaskLayer(std::size_t apart, std::size_t most) : m_apart(apart), m_most(most) {}

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override
    {
        CANNERY_TRY(expectInputs("mask", inputs, 1));
        CANNERY_TRY(expectDense("mask", *inputs[0]));
        std::vector<std::int64_t> shape = graph::rowShape(*inputs[0]);
        CANNERY_CHECK(shape.size() > m_apart);
        shape.resize(std::min(shape.size() - m_apart, m_most));
        LayerSignature signature;
        signature.output.width = Shape(shape).elementCount();
        signature.output.shape = shape.size() > 1 ? shape : std::vector<std::int64_t>();
        return signature;
    }
    void prepare(const LayerBuffers& buffers) override { m_buffers = buffers; }
    void backward(const StepContext& step) override
    {
        if (m_buffers.inputs[0]->grad != nullptr) {
            kernels::vectorKernels().fill(step.pool,
                                          m_buffers.inputs[0]->gradient(step.range()).flat(), 0.0F);
        }
    }
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }

protected:
    const LayerBuffers& maskBuffers() const { return m_buffers; }

private:
    std::size_t m_apart;
    std::size_t m_most;
    LayerBuffers m_buffers;
};

constexpr std::size_t kEveryDimension = 64;

/// Steps of all numbers along the last dimension, or of one number each.
class ShownStepsLayer : public StepMaskLayer
{
public:
    ShownStepsLayer(float hidden, bool ofChannels)
        : StepMaskLayer(ofChannels ? 1 : 0, kEveryDimension), m_hidden(hidden),
          m_ofChannels(ofChannels)
    {}

    void forward(const StepContext& step) override
    {
        const ValueBuffer& input = *maskBuffers().inputs[0];
        const std::int64_t channels = m_ofChannels ? input.shape.back() : 1;
        const kernels::ConstMatrixView steps = byLastAxis(input.values(step.range()), channels);
        float* mask = maskBuffers().output->output(step.range()).data;
        kernels::forEachRowBlock(
            step.pool, steps.rows, channels, [&](kernels::BlockRange rows, int) {
                for (std::int64_t i = rows.first; i < rows.first + rows.count; ++i) {
                    mask[i] = isStepShown(steps.row(i), m_hidden) ? 1.0F : 0.0F;
                }
            });
    }
    storage::EmittedValue emit(const EmitContext& context) const override
    {
        const storage::FloatNodes nodes(context.graph);
        const storage::NodeRef input = nodeRef(context.inputs[0].dense);
        if (!m_ofChannels) {
            return {.dense = nodes.truth("NotEqual", input, nodes.number(m_hidden)).input()};
        }
        const std::size_t rank =
            graph::rowShape(context.layers.value(context.node.inputs[0])).size();
        return {.dense =
                    emitShownSteps(nodes, input, m_hidden, static_cast<std::int32_t>(rank), false)
                        .input()};
    }

private:
    float m_hidden;
    bool m_ofChannels;
};

class FullMaskLayer : public StepMaskLayer
{
public:
    explicit FullMaskLayer(std::size_t rank) : StepMaskLayer(0, rank) {}

    void forward(const StepContext& step) override
    {
        kernels::vectorKernels().fill(step.pool, maskBuffers().output->output(step.range()).flat(),
                                      1.0F);
    }
    storage::EmittedValue emit(const EmitContext& context) const override
    {
        const storage::FloatNodes nodes(context.graph);
        const storage::NodeRef batch =
            context.graph.add("Reshape", "rows", {context.batchSize, nodes.ints({1})},
                              {{"T", DType::Int32}, {"Tshape", DType::Int32}});
        storage::FloatNodes::Ints dimensions;
        for (const std::int64_t size : graph::rowShape(context.layers.value(context.node.output))) {
            dimensions.push_back(static_cast<std::int32_t>(size));
        }
        const storage::NodeRef shape = context.graph.add(
            "ConcatV2", "shape",
            {batch, nodes.ints(dimensions), context.graph.constant("axis", std::int32_t{0})},
            {{"N", 2}, {"T", DType::Int32}, {"Tidx", DType::Int32}});
        return {.dense = context.graph
                             .add("Fill", "ones", {shape, nodes.number(1.0F)},
                                  {{"T", DType::Float32}, {"index_type", DType::Int32}})
                             .input()};
    }
};

OwnLayer ownMask(std::function<std::unique_ptr<Layer>()> make)
{
    return {.kind = "mask", .make = std::move(make)};
}

} // namespace

Result<void> expectStepMask(std::string_view layer, const graph::Value& mask,
                            const graph::Value& steps)
{
    CANNERY_TRY(expectDense(layer, mask));
    const Shape fitting{graph::rowShape(steps).front()};
    if (graph::rowShape(mask) != fitting.dims) {
        return fail(ErrorCode::InvalidArgument, kStepMask, mask.name, graph::shapeText(mask),
                    steps.name, graph::shapeText(steps), layer, fitting.toString());
    }
    return {};
}

storage::NodeRef emitShownSteps(const storage::FloatNodes& nodes, const storage::NodeRef& input,
                                float hidden, std::int32_t axis, bool keepsAxis)
{
    storage::Attrs attrs{{"Tidx", DType::Int32}};
    if (keepsAxis) {
        attrs.emplace_back("keep_dims", true);
    }
    const storage::NodeRef isShown = nodes.graph().add(
        "Any", "Any", {nodes.holds("NotEqual", input, nodes.number(hidden)), nodes.ints({axis})},
        attrs);
    return nodes.cast(isShown, DType::Bool);
}

OwnLayer tokenMask()
{
    return ownMask([] { return std::make_unique<ShownStepsLayer>(0.0F, false); });
}

OwnLayer stepMask(float hidden)
{
    return ownMask([hidden] { return std::make_unique<ShownStepsLayer>(hidden, true); });
}

OwnLayer fullMask(std::size_t rank)
{
    return ownMask([rank] { return std::make_unique<FullMaskLayer>(rank); });
}

} // namespace cannery::layers
