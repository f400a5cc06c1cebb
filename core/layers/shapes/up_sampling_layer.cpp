// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/up_sampling_layer.h"

#include "core/layers/layer_errors.h"

namespace cannery::layers {

namespace {

pictures::ResizeMethod methodOf(spec::Interpolation::Kind interpolation)
{
    switch (interpolation) {
    case spec::Interpolation::bilinear:
        return pictures::ResizeMethod::Bilinear;
    case spec::Interpolation::bicubic:
        return pictures::ResizeMethod::Bicubic;
    case spec::Interpolation::nearest:
        break;
    }
    return pictures::ResizeMethod::Nearest;
}

} // namespace

std::array<std::int64_t, 2> UpSamplingLayer::factors() const
{
    const auto [height, width] = pairOf(m_options.size, {2, 2});
    return {m_options.over == WindowsOver::Steps ? 1 : height, width};
}

Result<LayerSignature> UpSamplingLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_options.kind, inputs, 1));
    CANNERY_TRY(checkNumbers(m_options.kind, "size", m_options.size));
    CANNERY_TRY_ASSIGN(const ImageSize image,
                       imageSizeOf(m_options.kind, *inputs[0], m_options.over));
    const auto [height, width] = factors();
    CANNERY_TRY(expectCountable(m_options.kind, *inputs[0],
                                static_cast<double>(image.floats()) * static_cast<double>(height) *
                                    static_cast<double>(width)));
    LayerSignature signature;
    signature.output =
        imageValue({image.height * height, image.width * width, image.channels}, m_options.over);
    return signature;
}

void UpSamplingLayer::prepare(const LayerBuffers& buffers)
{
    const ImageSize image = imageSizeOf(*buffers.inputs[0]);
    const auto [height, width] = factors();
    const pictures::ResizeMethod method = methodOf(m_options.interpolation);
    m_rows.prepare(buffers, image, resizedAxis(image.height, image.height * height, method),
                   resizedAxis(image.width, image.width * width, method));
}

} // namespace cannery::layers
