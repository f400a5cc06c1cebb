// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/pictures/random_picture_layer.h"
#include "core/pictures/transform.h"

namespace cannery::layers {

/// Of images, as columns of shape [batch, 1]: the numbers of an AffineMap.
struct EmittedMap
{
    storage::NodeRef a0;
    storage::NodeRef a1;
    storage::NodeRef a2;
    storage::NodeRef b0;
    storage::NodeRef b1;
    storage::NodeRef b2;
};

/// A column of one number.
storage::NodeRef emitColumn(const EmitContext& context, float value);
/// By ImageProjectiveTransformV3, to images of `height` × `width`.
storage::NodeRef emitTransform(const EmitContext& context, const EmittedMap& map,
                               const pictures::TransformOptions& options, std::int64_t height,
                               std::int64_t width);

/// What random_rotation, random_zoom and random_translation share: in training each image is read
/// at other places. The gradient is that of ImageProjectiveTransformV3: the inverse map applied to
/// the gradient of the output, with zeros beyond the border, or 0 if the map has no inverse.
class RandomTransformLayer : public RandomPictureLayer
{
public:
    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

protected:
    template <typename Message>
    RandomTransformLayer(std::string_view kind, const Message& message)
        : RandomTransformLayer(kind, message.fill_mode(), message.interpolation(),
                               static_cast<float>(message.fill_value()))
    {}

    virtual pictures::AffineMap mapOf(const PictureDraws& draws, const ImageSize& size) const = 0;
    virtual EmittedMap emitMap(const EmitContext& context, const ImageSize& size) const = 0;

private:
    RandomTransformLayer(std::string_view kind, spec::FillMode::Kind fill,
                         spec::PictureResize::Method interpolation, float fillValue);
    void change(const PictureDraws& draws, const View& picture, float* dst) const override;
    void changeBack(const PictureDraws& draws, const View& picture, const View& dstGradient,
                    float* gradient) const override;

    pictures::TransformOptions m_options;
};

} // namespace cannery::layers
