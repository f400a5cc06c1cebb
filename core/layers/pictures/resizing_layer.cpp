// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/resizing_layer.h"

namespace cannery::layers {

namespace {

pictures::ResizeMethod resizeMethodOf(spec::PictureInterpolation::Kind interpolation)
{
    using pictures::ResizeMethod;
    switch (interpolation) {
    case spec::PictureInterpolation::nearest:
        return ResizeMethod::Nearest;
    case spec::PictureInterpolation::bicubic:
        return ResizeMethod::Bicubic;
    case spec::PictureInterpolation::area:
        return ResizeMethod::Area;
    case spec::PictureInterpolation::lanczos3:
        return ResizeMethod::Lanczos3;
    case spec::PictureInterpolation::lanczos5:
        return ResizeMethod::Lanczos5;
    case spec::PictureInterpolation::gaussian:
        return ResizeMethod::Gaussian;
    case spec::PictureInterpolation::mitchellcubic:
        return ResizeMethod::MitchellCubic;
    case spec::PictureInterpolation::bilinear:
        break;
    }
    return ResizeMethod::Bilinear;
}

} // namespace

ResizingLayer::ResizingLayer(const spec::ResizingLayer& message)
    : ImageFitLayer("resizing", message.height(), message.width()),
      m_method(resizeMethodOf(message.interpolation())),
      m_keepsProportions(message.crop_to_aspect_ratio())
{}

ImageFit ResizingLayer::fitOf(const ImageSize& image) const
{
    return m_keepsProportions ? resizedPart(image, height(), width(), m_method)
                              : resizedWhole(image, height(), width(), m_method);
}

std::unique_ptr<Layer> makeResizingLayer(const spec::Layer& message)
{
    return std::make_unique<ResizingLayer>(message.resizing());
}

} // namespace cannery::layers
