// SPDX-License-Identifier: Apache-2.0
#include "core/pictures/kernel_spans.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::pictures {

namespace {

constexpr float kLanczos3Radius = 3;
constexpr float kLanczos5Radius = 5;
constexpr float kCubicRadius = 2;
constexpr float kGaussianRadius = 1.5F;

float radiusOf(Kernel kernel)
{
    switch (kernel) {
    case Kernel::KeysCubic:
    case Kernel::MitchellCubic:
        return kCubicRadius;
    case Kernel::Lanczos3:
        return kLanczos3Radius;
    case Kernel::Lanczos5:
        return kLanczos5Radius;
    case Kernel::Gaussian:
        return kGaussianRadius;
    case Kernel::Triangle:
        break;
    }
    return 1;
}

float lanczos(float t, float radius)
{
    constexpr float kPi = 3.14159265359F;
    // The limit at 0; below it the quotient loses its digits.
    constexpr float kNear = 1e-3F;
    if (t > radius) {
        return 0;
    }
    if (t <= kNear) {
        return 1;
    }
    return radius * std::sin(kPi * t) * std::sin(kPi * t / radius) / (kPi * kPi * t * t);
}

float gaussian(float t)
{
    constexpr float kSigma = kGaussianRadius / 3.0F;
    return t >= kGaussianRadius ? 0.0F : std::exp(-t * t / (2.0F * kSigma * kSigma));
}

float keysCubic(float t)
{
    if (t >= kCubicRadius) {
        return 0;
    }
    return t >= 1.0F ? ((-0.5F * t + 2.5F) * t - 4.0F) * t + 2.0F
                     : ((1.5F * t - 2.5F) * t) * t + 1.0F;
}

float mitchellCubic(float t)
{
    if (t >= kCubicRadius) {
        return 0;
    }
    return t >= 1.0F ? (((-7.0F / 18.0F) * t + 2.0F) * t - 10.0F / 3.0F) * t + 16.0F / 9.0F
                     : (((7.0F / 6.0F) * t - 2.0F) * t) * t + 8.0F / 9.0F;
}

float valueOf(Kernel kernel, float t)
{
    switch (kernel) {
    case Kernel::KeysCubic:
        return keysCubic(t);
    case Kernel::MitchellCubic:
        return mitchellCubic(t);
    case Kernel::Lanczos3:
        return lanczos(t, kLanczos3Radius);
    case Kernel::Lanczos5:
        return lanczos(t, kLanczos5Radius);
    case Kernel::Gaussian:
        return gaussian(t);
    case Kernel::Triangle:
        break;
    }
    return t < 1.0F ? 1.0F - t : 0.0F;
}

} // namespace

std::vector<KernelSpan> kernelSpans(Kernel kernel, std::int64_t in, std::int64_t out,
                                    bool antialias)
{
    // Divided twice, as TensorFlow does: the two quotients are not inverse to the bit.
    const float scale = static_cast<float>(out) / static_cast<float>(in);
    const float inverse = 1.0F / scale;
    const float stretch = antialias ? std::max(inverse, 1.0F) : 1.0F;
    const float shrink = 1.0F / stretch;
    const float reach = radiusOf(kernel) * stretch;
    std::vector<KernelSpan> spans(static_cast<std::size_t>(out));
    for (std::int64_t i = 0; i < out; ++i) {
        const float centre = (static_cast<float>(i) + 0.5F) * inverse;
        KernelSpan& span = spans[static_cast<std::size_t>(i)];
        // Only by rounding.
        if (centre > static_cast<float>(in)) {
            continue;
        }
        span.begin = std::clamp<std::int64_t>(
            static_cast<std::int64_t>(std::ceil(centre - reach - 0.5F)), 0, in - 1);
        const std::int64_t end =
            std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(centre + reach - 0.5F)),
                                     0, in - 1) +
            1;
        float sum = 0;
        for (std::int64_t place = span.begin; place < end; ++place) {
            const float distance = static_cast<float>(place) + 0.5F - centre;
            span.weights.push_back(valueOf(kernel, std::abs(distance * shrink)));
            sum += span.weights.back();
        }
        if (std::abs(sum) >= 1000.0F * std::numeric_limits<float>::min()) {
            const float factor = 1.0F / sum;
            for (float& weight : span.weights) {
                weight *= factor;
            }
        }
    }
    return spans;
}

} // namespace cannery::pictures
