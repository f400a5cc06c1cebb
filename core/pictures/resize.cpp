// SPDX-License-Identifier: Apache-2.0
#include "core/pictures/resize.h"

#include "core/pictures/resize_taps.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::pictures {

namespace {

struct NamedMethod
{
    std::string_view name;
    ResizeMethod method;
};

constexpr std::array<NamedMethod, 8> kMethods{{
    {"bilinear", ResizeMethod::Bilinear},
    {"nearest", ResizeMethod::Nearest},
    {"area", ResizeMethod::Area},
    {"bicubic", ResizeMethod::Bicubic},
    {"lanczos3", ResizeMethod::Lanczos3},
    {"lanczos5", ResizeMethod::Lanczos5},
    {"gaussian", ResizeMethod::Gaussian},
    {"mitchellcubic", ResizeMethod::MitchellCubic},
}};

template <typename T>
Picture resizeNearest(const PictureView<T>& src, std::int64_t height, std::int64_t width)
{
    Picture dst = Picture::zeros(height, width, src.channels);
    const std::vector<std::int64_t> columns = nearestPlaces(src.width, width);
    float* to = dst.values.data();
    for (const std::int64_t y : nearestPlaces(src.height, height)) {
        for (const std::int64_t x : columns) {
            to = std::copy_n(src.row(y) + x * src.channels, src.channels, to);
        }
    }
    return dst;
}

template <typename T>
Picture resizeBilinear(const PictureView<T>& src, std::int64_t height, std::int64_t width)
{
    Picture dst = Picture::zeros(height, width, src.channels);
    const std::vector<Between> columns = betweens(src.width, width);
    float* to = dst.values.data();
    for (const Between& y : betweens(src.height, height)) {
        const T* upper = src.row(y.lower);
        const T* lower = src.row(y.upper);
        for (const Between& x : columns) {
            for (std::int64_t c = 0; c < src.channels; ++c) {
                const std::int64_t left = x.lower * src.channels + c;
                const std::int64_t right = x.upper * src.channels + c;
                const auto between = [](float a, float b, float w) { return a + (b - a) * w; };
                const float top = between(upper[left], upper[right], x.weight);
                const float bottom = between(lower[left], lower[right], x.weight);
                *to++ = between(top, bottom, y.weight);
            }
        }
    }
    return dst;
}

template <typename T>
Picture resizeBicubic(const PictureView<T>& src, std::int64_t height, std::int64_t width)
{
    Picture dst = Picture::zeros(height, width, src.channels);
    const std::vector<CubicTaps> columns = cubicTaps(src.width, width);
    const std::int64_t rowValues = src.width * src.channels;
    std::vector<float> row(static_cast<std::size_t>(rowValues));
    const auto weighted = [](const std::array<float, 4>& w, float a, float b, float c, float d) {
        return a * w[0] + b * w[1] + c * w[2] + d * w[3];
    };
    float* to = dst.values.data();
    // Down the columns first, as TensorFlow does.
    for (const CubicTaps& y : cubicTaps(src.height, height)) {
        std::array<const T*, 4> rows = {};
        std::transform(y.places.begin(), y.places.end(), rows.begin(),
                       [&](std::int64_t place) { return src.row(place); });
        for (std::int64_t i = 0; i < rowValues; ++i) {
            row[static_cast<std::size_t>(i)] =
                weighted(y.weights, rows[0][i], rows[1][i], rows[2][i], rows[3][i]);
        }
        for (const CubicTaps& x : columns) {
            for (std::int64_t c = 0; c < src.channels; ++c) {
                const auto at = [&](std::size_t tap) {
                    return row[static_cast<std::size_t>(x.places[tap] * src.channels + c)];
                };
                *to++ = weighted(x.weights, at(0), at(1), at(2), at(3));
            }
        }
    }
    return dst;
}

template <typename T>
Picture resizeArea(const PictureView<T>& src, std::int64_t height, std::int64_t width)
{
    Picture dst = Picture::zeros(height, width, src.channels);
    const std::vector<Cover> columns = covers(src.width, width);
    const auto factor = static_cast<float>(
        1.0 / static_cast<double>(resizeScale(src.height, height) * resizeScale(src.width, width)));
    float* to = dst.values.data();
    for (const Cover& y : covers(src.height, height)) {
        for (const Cover& x : columns) {
            for (std::int64_t c = 0; c < src.channels; ++c) {
                float sum = 0;
                for (std::size_t i = 0; i < y.shares.size(); ++i) {
                    // Rounding may take the last share one pixel beyond the border.
                    const T* row =
                        src.row(std::min(y.begin + static_cast<std::int64_t>(i), src.height - 1));
                    float rowSum = 0;
                    for (std::size_t j = 0; j < x.shares.size(); ++j) {
                        const std::int64_t place =
                            std::min(x.begin + static_cast<std::int64_t>(j), src.width - 1);
                        rowSum += static_cast<float>(row[place * src.channels + c]) * x.shares[j];
                    }
                    sum += rowSum * y.shares[i];
                }
                *to++ = sum * factor;
            }
        }
    }
    return dst;
}

/// Down the columns first, then along the rows; sums in float32, tap by tap.
template <typename T>
Picture resizeBySpans(const PictureView<T>& src, std::int64_t height, std::int64_t width,
                      const ResizeOptions& options)
{
    const Kernel kernel = kernelOf(options.method);
    const std::vector<KernelSpan> rows = kernelSpans(kernel, src.height, height, options.antialias);
    const std::vector<KernelSpan> columns =
        kernelSpans(kernel, src.width, width, options.antialias);
    Picture dst = Picture::zeros(height, width, src.channels);
    const std::int64_t rowValues = src.width * src.channels;
    std::vector<float> row;
    float* to = dst.values.data();
    for (const KernelSpan& y : rows) {
        row.assign(static_cast<std::size_t>(rowValues), 0.0F);
        for (std::size_t tap = 0; tap < y.weights.size(); ++tap) {
            const T* from = src.row(y.begin + static_cast<std::int64_t>(tap));
            for (std::int64_t i = 0; i < rowValues; ++i) {
                row[static_cast<std::size_t>(i)] += static_cast<float>(from[i]) * y.weights[tap];
            }
        }
        for (const KernelSpan& x : columns) {
            const float* from = row.data() + x.begin * src.channels;
            for (const float weight : x.weights) {
                for (std::int64_t c = 0; c < src.channels; ++c) {
                    to[c] += *from++ * weight;
                }
            }
            to += src.channels;
        }
    }
    return dst;
}

} // namespace

std::optional<ResizeMethod> resizeMethodNamed(std::string_view name)
{
    const auto* const found = std::ranges::find(kMethods, name, &NamedMethod::name);
    return found == kMethods.end() ? std::nullopt : std::optional(found->method);
}

Kernel kernelOf(ResizeMethod method)
{
    switch (method) {
    case ResizeMethod::Bicubic:
        return Kernel::KeysCubic;
    case ResizeMethod::Lanczos3:
        return Kernel::Lanczos3;
    case ResizeMethod::Lanczos5:
        return Kernel::Lanczos5;
    case ResizeMethod::Gaussian:
        return Kernel::Gaussian;
    case ResizeMethod::MitchellCubic:
        return Kernel::MitchellCubic;
    case ResizeMethod::Bilinear:
    case ResizeMethod::Nearest:
    case ResizeMethod::Area:
        break;
    }
    return Kernel::Triangle;
}

template <typename T>
Picture resize(const PictureView<T>& src, std::int64_t height, std::int64_t width,
               const ResizeOptions& options)
{
    switch (options.method) {
    case ResizeMethod::Nearest:
        return resizeNearest(src, height, width);
    case ResizeMethod::Area:
        return resizeArea(src, height, width);
    case ResizeMethod::Bilinear:
        if (!options.antialias) {
            return resizeBilinear(src, height, width);
        }
        break;
    case ResizeMethod::Bicubic:
        if (!options.antialias) {
            return resizeBicubic(src, height, width);
        }
        break;
    case ResizeMethod::Lanczos3:
    case ResizeMethod::Lanczos5:
    case ResizeMethod::Gaussian:
    case ResizeMethod::MitchellCubic:
        break;
    }
    return resizeBySpans(src, height, width, options);
}

template Picture resize(const PictureView<std::uint8_t>&, std::int64_t, std::int64_t,
                        const ResizeOptions&);
template Picture resize(const PictureView<std::uint16_t>&, std::int64_t, std::int64_t,
                        const ResizeOptions&);
template Picture resize(const PictureView<float>&, std::int64_t, std::int64_t,
                        const ResizeOptions&);

} // namespace cannery::pictures
