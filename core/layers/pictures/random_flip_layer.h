// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/pictures/random_picture_layer.h"

namespace cannery::layers {

/// tf.keras.layers.RandomFlip: in training mirrors an image with a chance of one half each way.
class RandomFlipLayer : public RandomPictureLayer
{
public:
    explicit RandomFlipLayer(const spec::RandomFlipLayer& message);

    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

private:
    void change(const PictureDraws& draws, const View& picture, float* dst) const override;
    void changeBack(const PictureDraws& draws, const View& picture, const View& dstGradient,
                    float* gradient) const override;

    bool m_isHorizontal;
    bool m_isVertical;
};

std::unique_ptr<Layer> makeRandomFlipLayer(const spec::Layer& message);

} // namespace cannery::layers
