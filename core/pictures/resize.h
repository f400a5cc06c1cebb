// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pictures/kernel_spans.h"
#include "core/pictures/picture.h"

#include <optional>
#include <string_view>

namespace cannery::pictures {

/// The methods of tf.image.resize.
enum class ResizeMethod
{
    Bilinear,
    Nearest,
    Area,
    Bicubic,
    Lanczos3,
    Lanczos5,
    Gaussian,
    MitchellCubic,
};

/// By TensorFlow's name: "mitchellcubic". nullopt if no method has that name.
std::optional<ResizeMethod> resizeMethodNamed(std::string_view name);

/// The kernel that a method has; bilinear and bicubic use theirs with antialias only. Area and
/// nearest have none (Triangle).
Kernel kernelOf(ResizeMethod method);

struct ResizeOptions
{
    ResizeMethod method = ResizeMethod::Bilinear;
    /// When a picture becomes smaller, the kernel becomes wider by as much, so that every pixel
    /// counts. Nearest and area have no kernel.
    bool antialias = false;
};

/// tf.image.resize of TensorFlow 2 to `height` × `width` (at least 1 each), to the bit where it is
/// computed without FMA. scale = in / out in float32; output position j is at (j + 1/2) * scale of
/// the input, but for area, which is the mean over [j * scale, (j + 1) * scale).
template <typename T>
Picture resize(const PictureView<T>& src, std::int64_t height, std::int64_t width,
               const ResizeOptions& options);

} // namespace cannery::pictures
