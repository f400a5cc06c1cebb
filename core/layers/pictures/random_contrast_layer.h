// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/pictures/random_picture_layer.h"

namespace cannery::layers {

/// tf.keras.layers.RandomContrast: in training (x - mean) * factor + mean, within 0 and 255, with
/// the mean of each channel of an image; each image has a factor of its own, where Keras draws one
/// for the batch.
class RandomContrastLayer : public RandomPictureLayer
{
public:
    explicit RandomContrastLayer(const spec::RandomContrastLayer& message);

    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

private:
    void change(const PictureDraws& draws, const View& picture, float* dst) const override;
    void changeBack(const PictureDraws& draws, const View& picture, const View& dstGradient,
                    float* gradient) const override;

    RandomRange m_factors;
};

std::unique_ptr<Layer> makeRandomContrastLayer(const spec::Layer& message);

} // namespace cannery::layers
