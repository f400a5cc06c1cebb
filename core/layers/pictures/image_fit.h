// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/shapes/resampled_rows.h"
#include "core/pictures/fitting.h"

#include <optional>

namespace cannery::layers {

/// How images get another size: a part of each, resized if there is a method.
struct ImageFit
{
    pictures::PicturePart part;
    std::int64_t height = 0; ///< of the result; those of the part without a method
    std::int64_t width = 0;
    std::optional<pictures::ResizeMethod> method;
};

/// tf.image.resize of all of an image.
ImageFit resizedWhole(const ImageSize& image, std::int64_t height, std::int64_t width,
                      pictures::ResizeMethod method);
/// keras.utils.image_utils.smart_resize: the largest centred part with these proportions.
ImageFit resizedPart(const ImageSize& image, std::int64_t height, std::int64_t width,
                     pictures::ResizeMethod method = pictures::ResizeMethod::Bilinear);
/// The middle; of an image that is smaller in any direction resizedPart(), as CenterCrop has it.
ImageFit middleOrResized(const ImageSize& image, std::int64_t height, std::int64_t width);

/// Of a layer that gives images of this size. "layers.not_an_image", "layers.output_too_large".
Result<LayerSignature> signatureOfImages(std::string_view kind,
                                         std::span<const graph::Value* const> inputs,
                                         std::int64_t height, std::int64_t width);

/// Binds the passes that compute it.
void prepareFit(ResampledRows& rows, const LayerBuffers& buffers, const ImageFit& fit);

/// As a slice, a resizing, or both.
storage::NodeRef emitFit(const EmitContext& context, const ImageFit& fit);

/// A layer that does the same to every image.
class ImageFitLayer : public Layer
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override
    {
        return signatureOfImages(m_kind, inputs, m_height, m_width);
    }
    void prepare(const LayerBuffers& buffers) override
    {
        prepareFit(m_rows, buffers, fitOf(imageSizeOf(*buffers.inputs[0])));
    }
    void forward(const StepContext& step) override { m_rows.forward(step); }
    void backward(const StepContext& step) override { m_rows.backward(step); }
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

protected:
    ImageFitLayer(std::string_view kind, std::int64_t height, std::int64_t width)
        : m_kind(kind), m_height(height), m_width(width)
    {}

    virtual ImageFit fitOf(const ImageSize& image) const = 0;
    std::int64_t height() const { return m_height; }
    std::int64_t width() const { return m_width; }

private:
    std::string_view m_kind;
    std::int64_t m_height;
    std::int64_t m_width;
    ResampledRows m_rows;
};

} // namespace cannery::layers
