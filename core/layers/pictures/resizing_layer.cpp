// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/resizing_layer.h"

namespace cannery::layers {

ResizingLayer::ResizingLayer(const spec::ResizingLayer& message)
    : ImageFitLayer("resizing", message.height(), message.width()),
      m_method(
          *pictures::resizeMethodNamed(spec::PictureResize::Method_Name(message.interpolation()))),
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
