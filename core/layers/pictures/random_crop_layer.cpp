// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/random_crop_layer.h"

#include "core/layers/pictures/random_transform_layer.h"
#include "kernels/device/row_blocks.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>

namespace cannery::layers {

namespace {

/// In [0, places).
std::int64_t placeOf(float draw, std::int64_t places)
{
    return std::min(static_cast<std::int64_t>(draw * static_cast<float>(places)), places - 1);
}

} // namespace

RandomCropLayer::RandomCropLayer(const spec::RandomCropLayer& message)
    : m_height(message.height()), m_width(message.width())
{}

bool RandomCropLayer::isLargeEnough(const ImageSize& image) const
{
    return image.height >= m_height && image.width >= m_width;
}

bool RandomCropLayer::isActive() const
{
    return isLargeEnough(imageSizeOf(*buffers().inputs[0]));
}

Result<LayerSignature> RandomCropLayer::signature(std::span<const graph::Value* const> inputs) const
{
    return signatureOfImages("random_crop", inputs, m_height, m_width);
}

void RandomCropLayer::prepare(const LayerBuffers& buffers)
{
    bind(buffers);
    prepareFit(m_resized, buffers, resizedPart(imageSizeOf(*buffers.inputs[0]), m_height, m_width));
}

void RandomCropLayer::passThrough(const StepContext& step, Pass pass,
                                  kernels::ConstMatrixView /*src*/, kernels::MatrixView /*dst*/)
{
    if (pass == Pass::Forward) {
        m_resized.forward(step);
    } else {
        m_resized.backward(step);
    }
}

void RandomCropLayer::draw(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
                           kernels::MatrixView dst)
{
    const ImageSize image = imageSizeOf(*buffers().inputs[0]);
    const std::int64_t line = m_width * image.channels;
    const std::int64_t imageLine = image.width * image.channels;
    kernels::forEachRowBlock(step.pool, dst.rows, dst.cols, [&](kernels::BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            const PictureDraws draws =
                pictureDraws(step, buffers().layerIndex,
                             step.firstRow + static_cast<std::uint64_t>(step.rowBegin + r));
            const std::int64_t top = placeOf(draws[0], image.height - m_height + 1);
            const std::int64_t left = placeOf(draws[1], image.width - m_width + 1);
            const std::int64_t first = top * imageLine + left * image.channels;
            if (pass == Pass::Backward) {
                std::fill_n(dst.at(r), dst.cols, 0.0F);
            }
            for (std::int64_t y = 0; y < m_height; ++y) {
                const std::int64_t inImage = first + y * imageLine;
                if (pass == Pass::Forward) {
                    std::copy_n(src.at(r) + inImage, line, dst.at(r) + y * line);
                } else {
                    std::copy_n(src.at(r) + y * line, line, dst.at(r) + inImage);
                }
            }
        }
    });
}

storage::EmittedValue RandomCropLayer::emit(const EmitContext& context) const
{
    const ImageSize image =
        imageSizeOf(graph::rowShape(context.layers.value(context.node.inputs[0])));
    return {.dense = emitFit(context, resizedPart(image, m_height, m_width)).input()};
}

/// By a transformation: a slice has one place for the whole batch.
storage::EmittedValue
RandomCropLayer::emitTraining(const EmitContext& context,
                              std::vector<storage::NodeRef>& /*updates*/) const
{
    const ImageSize image =
        imageSizeOf(graph::rowShape(context.layers.value(context.node.inputs[0])));
    if (!isLargeEnough(image)) {
        return emit(context);
    }
    const storage::FloatNodes nodes(context.graph);
    const auto place = [&](std::int64_t places) {
        const RandomRange range{.lower = 0, .upper = static_cast<double>(places)};
        // Rounding may turn a draw into the upper bound itself, where the crop would not fit.
        return nodes.smaller(nodes.apply("Floor", {emitDraw(context, range, 1)}),
                             nodes.number(static_cast<float>(places - 1)));
    };
    const storage::NodeRef zero = emitColumn(context, 0.0F);
    const storage::NodeRef one = emitColumn(context, 1.0F);
    const EmittedMap map{.a0 = one,
                         .a1 = zero,
                         .a2 = place(image.width - m_width + 1),
                         .b0 = zero,
                         .b1 = one,
                         .b2 = place(image.height - m_height + 1)};
    return {.dense = emitTransform(context, map,
                                   {.fill = pictures::Fill::Constant, .takesNearest = true},
                                   m_height, m_width)
                         .input()};
}

std::unique_ptr<Layer> makeRandomCropLayer(const spec::Layer& message)
{
    return std::make_unique<RandomCropLayer>(message.random_crop());
}

} // namespace cannery::layers
