// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/image_fit.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/shapes/edge_layer.h"

namespace cannery::layers {

namespace {

using pictures::ResizeMethod;
using Sizes = std::vector<std::int32_t>;

Sizes sizesOf(const ImageFit& fit)
{
    return {static_cast<std::int32_t>(fit.height), static_cast<std::int32_t>(fit.width)};
}

/// By one of TensorFlow's operations of this name, all of which take images and a size.
storage::NodeRef emitResizeOp(storage::GraphDefBuilder& graph, const char* op,
                              const storage::NodeRef& images, const ImageFit& fit)
{
    storage::Attrs attrs{{"T", DType::Float32}};
    if (fit.method != ResizeMethod::Area) {
        attrs.emplace_back("half_pixel_centers", true);
    }
    return graph.add(op, op, {images, graph.constant("resize/size", sizesOf(fit))}, attrs);
}

/// As tf.image.resize does with the methods that have no operation of their own.
storage::NodeRef emitScaleAndTranslate(storage::GraphDefBuilder& graph, const char* kernel,
                                       const storage::NodeRef& images, const ImageFit& fit)
{
    const auto scale = [](std::int64_t size, std::int64_t newSize) {
        return static_cast<float>(newSize) / static_cast<float>(size);
    };
    const storage::NodeRef scales =
        graph.constant("resize/scale", std::vector<float>{scale(fit.part.height, fit.height),
                                                          scale(fit.part.width, fit.width)});
    const storage::NodeRef moves =
        graph.constant("resize/translation", std::vector<float>{0.0F, 0.0F});
    return graph.add("ScaleAndTranslate", "ScaleAndTranslate",
                     {images, graph.constant("resize/size", sizesOf(fit)), scales, moves},
                     {{"T", DType::Float32}, {"kernel_type", kernel}, {"antialias", false}});
}

storage::NodeRef emitResize(storage::GraphDefBuilder& graph, const storage::NodeRef& images,
                            const ImageFit& fit)
{
    switch (*fit.method) {
    case ResizeMethod::Nearest:
        return emitResizeOp(graph, "ResizeNearestNeighbor", images, fit);
    case ResizeMethod::Bicubic:
        return emitResizeOp(graph, "ResizeBicubic", images, fit);
    case ResizeMethod::Area:
        return emitResizeOp(graph, "ResizeArea", images, fit);
    case ResizeMethod::Lanczos3:
        return emitScaleAndTranslate(graph, "lanczos3", images, fit);
    case ResizeMethod::Lanczos5:
        return emitScaleAndTranslate(graph, "lanczos5", images, fit);
    case ResizeMethod::Gaussian:
        return emitScaleAndTranslate(graph, "gaussian", images, fit);
    case ResizeMethod::MitchellCubic:
        return emitScaleAndTranslate(graph, "mitchellcubic", images, fit);
    case ResizeMethod::Bilinear:
        break;
    }
    return emitResizeOp(graph, "ResizeBilinear", images, fit);
}

} // namespace

ImageFit resizedWhole(const ImageSize& image, std::int64_t height, std::int64_t width,
                      ResizeMethod method)
{
    return {.part = {0, 0, image.height, image.width},
            .height = height,
            .width = width,
            .method = method};
}

ImageFit resizedPart(const ImageSize& image, std::int64_t height, std::int64_t width,
                     ResizeMethod method)
{
    return {.part = pictures::proportionalPart(image.height, image.width, height, width),
            .height = height,
            .width = width,
            .method = method};
}

ImageFit middleOrResized(const ImageSize& image, std::int64_t height, std::int64_t width)
{
    if (image.height < height || image.width < width) {
        return resizedPart(image, height, width);
    }
    return {.part = {(image.height - height) / 2, (image.width - width) / 2, height, width},
            .height = height,
            .width = width,
            .method = std::nullopt};
}

Result<LayerSignature> signatureOfImages(std::string_view kind,
                                         std::span<const graph::Value* const> inputs,
                                         std::int64_t height, std::int64_t width)
{
    CANNERY_TRY(expectInputs(kind, inputs, 1));
    CANNERY_TRY_ASSIGN(const ImageSize image, imageSizeOf(kind, *inputs[0]));
    CANNERY_TRY(expectCountable(kind, *inputs[0],
                                static_cast<double>(height) * static_cast<double>(width) *
                                    static_cast<double>(image.channels)));
    LayerSignature signature;
    signature.output = imageValue({height, width, image.channels});
    return signature;
}

void prepareFit(ResampledRows& rows, const LayerBuffers& buffers, const ImageFit& fit)
{
    // A part of the same size repeats its pixels.
    const ResizeMethod method = fit.method.value_or(ResizeMethod::Nearest);
    rows.prepare(buffers, imageSizeOf(*buffers.inputs[0]),
                 resizedAxis(fit.part.height, fit.height, method, fit.part.y),
                 resizedAxis(fit.part.width, fit.width, method, fit.part.x));
}

storage::NodeRef emitFit(const EmitContext& context, const ImageFit& fit)
{
    storage::GraphDefBuilder& graph = context.graph;
    const pictures::PicturePart& part = fit.part;
    const ImageSize image =
        imageSizeOf(graph::rowShape(context.layers.value(context.node.inputs[0])));
    storage::NodeRef images = nodeRef(context.inputs[0].dense);
    if (part.height != image.height || part.width != image.width) {
        images =
            emitPart(graph, images, {part.y, part.x}, {part.y + part.height, part.x + part.width});
    }
    return fit.method ? emitResize(graph, images, fit) : images;
}

storage::EmittedValue ImageFitLayer::emit(const EmitContext& context) const
{
    const ImageSize image =
        imageSizeOf(graph::rowShape(context.layers.value(context.node.inputs[0])));
    return {.dense = emitFit(context, fitOf(image)).input()};
}

} // namespace cannery::layers
