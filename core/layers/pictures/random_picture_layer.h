// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/noise/random_layer.h"
#include "core/layers/windows/image_window.h"
#include "core/pictures/picture.h"

#include <array>
#include <memory>
#include <string_view>

namespace cannery::layers {

/// The random numbers of one image, uniform in [0, 1).
using PictureDraws = std::array<float, 2>;

/// A pure function of (seed, layer, step, row), as what a DropoutMask drops; `row` counts from the
/// first row of all shards.
PictureDraws pictureDraws(const StepContext& step, std::uint32_t layer, std::uint64_t row);

/// Numbers that are drawn uniformly.
struct RandomRange
{
    double lower = 0;
    double upper = 0;

    /// Of a draw, in float32 as TensorFlow has it.
    float at(float draw) const;
};

/// "layers.random_range" unless they ascend; `what`: "angles".
Result<void> expectAscending(std::string_view kind, std::string_view what,
                             const RandomRange& range);

/// A draw for each image, of shape [batch, 1, …] with so many dimensions of 1.
storage::NodeRef emitDraw(const EmitContext& context, const RandomRange& range, int ones);

/// Changes each image of a batch by numbers of its own during training; otherwise passes through.
class RandomPictureLayer : public RandomLayer
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;

protected:
    explicit RandomPictureLayer(std::string_view kind) : m_kind(kind) {}

    using View = pictures::PictureView<float>;
    std::string_view kind() const { return m_kind; }
    ImageSize image() const { return imageSizeOf(*buffers().inputs[0]); }

    /// Of the numbers in the message, and of what they do to such images.
    virtual Result<void> checkOptions() const { return {}; }
    virtual void change(const PictureDraws& draws, const View& picture, float* dst) const = 0;
    /// From the gradient of the result, without gaps between its rows, to that of the picture.
    virtual void changeBack(const PictureDraws& draws, const View& picture, const View& dstGradient,
                            float* gradient) const = 0;

private:
    void draw(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
              kernels::MatrixView dst) override;

    std::string_view m_kind;
};

} // namespace cannery::layers
