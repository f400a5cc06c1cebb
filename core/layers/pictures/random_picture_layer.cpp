// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/random_picture_layer.h"

#include "core/layers/layer_errors.h"
#include "core/layers/noise/random_emission.h"
#include "kernels/device/row_blocks.h"
#include "kernels/math/dropout_bits.h"
#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

namespace {

constexpr ErrorKind kRandomRange{
    "layers.random_range",
    "A layer {} draws {} from {} to {}: the first number is the greater one; exchange them."};

} // namespace

PictureDraws pictureDraws(const StepContext& step, std::uint32_t layer, std::uint64_t row)
{
    const auto bits = kernels::philox(kernels::dropoutCounter(0, row, step.step, layer),
                                      kernels::dropoutKey(step.seed));
    return {kernels::uniformFloat(bits[0]), kernels::uniformFloat(bits[1])};
}

float RandomRange::at(float draw) const
{
    const auto first = static_cast<float>(lower);
    return draw * (static_cast<float>(upper) - first) + first;
}

Result<void> expectAscending(std::string_view kind, std::string_view what, const RandomRange& range)
{
    if (range.lower > range.upper) {
        return fail(ErrorCode::InvalidArgument, kRandomRange, kind, what, range.lower, range.upper);
    }
    return {};
}

storage::NodeRef emitDraw(const EmitContext& context, const RandomRange& range, int ones)
{
    storage::GraphDefBuilder& graph = context.graph;
    std::vector<storage::NodeRef> sizes{context.batchSize};
    for (int i = 0; i < ones; ++i) {
        sizes.push_back(graph.constant("random_uniform/size", std::int32_t{1}));
    }
    const storage::NodeRef shape =
        graph.add("Pack", "random_uniform/shape", sizes,
                  {{"N", static_cast<std::int64_t>(sizes.size())}, {"T", DType::Int32}});
    const storage::FloatNodes nodes(graph);
    const auto first = static_cast<float>(range.lower);
    const storage::NodeRef uniform = emitUniform(graph, shape, "random_uniform/RandomUniform");
    return nodes.add(nodes.multiply(uniform, nodes.number(static_cast<float>(range.upper) - first)),
                     nodes.number(first));
}

Result<LayerSignature>
RandomPictureLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_kind, inputs, 1));
    CANNERY_TRY(imageSizeOf(m_kind, *inputs[0]));
    CANNERY_TRY(checkOptions());
    return signatureLike(*inputs[0]);
}

void RandomPictureLayer::prepare(const LayerBuffers& buffers)
{
    bind(buffers);
}

void RandomPictureLayer::draw(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
                              kernels::MatrixView dst)
{
    const ImageSize size = image();
    const auto viewOf = [&size](const float* values) {
        return View(values, size.height, size.width, size.channels);
    };
    const kernels::ConstMatrixView images = buffers().inputs[0]->values(step.range());
    kernels::forEachRowBlock(step.pool, dst.rows, dst.cols, [&](kernels::BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            const PictureDraws draws =
                pictureDraws(step, buffers().layerIndex,
                             step.firstRow + static_cast<std::uint64_t>(step.rowBegin + r));
            if (pass == Pass::Forward) {
                change(draws, viewOf(src.at(r)), dst.at(r));
            } else {
                changeBack(draws, viewOf(images.at(r)), viewOf(src.at(r)), dst.at(r));
            }
        }
    });
}

} // namespace cannery::layers
