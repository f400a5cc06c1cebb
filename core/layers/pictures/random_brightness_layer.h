// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/pictures/random_picture_layer.h"
#include "core/pictures/adjusting.h"

namespace cannery::layers {

/// tf.keras.layers.RandomBrightness: in training adds a part of the range of values to an image,
/// within that range.
class RandomBrightnessLayer : public RandomPictureLayer
{
public:
    explicit RandomBrightnessLayer(const spec::RandomBrightnessLayer& message);

    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

private:
    Result<void> checkOptions() const override;
    float deltaOf(const PictureDraws& draws) const;
    void change(const PictureDraws& draws, const View& picture, float* dst) const override;
    void changeBack(const PictureDraws& draws, const View& picture, const View& dstGradient,
                    float* gradient) const override;

    RandomRange m_parts; ///< of the range of values
    pictures::ValueRange m_values;
};

std::unique_ptr<Layer> makeRandomBrightnessLayer(const spec::Layer& message);

} // namespace cannery::layers
