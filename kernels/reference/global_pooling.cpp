// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/global_pooling.h"

#include <cmath>

namespace cannery::kernels::reference {

namespace {

/// Of channel `channel` in each pixel of an image: function(value).
template <typename Function>
void forEachPixel(std::span<const float> image, std::int64_t channels, std::int64_t channel,
                  Function&& function)
{
    for (auto at = static_cast<std::size_t>(channel); at < image.size();
         at += static_cast<std::size_t>(channels)) {
        function(image[at]);
    }
}

void mean(ThreadPool&, ConstMatrixView src, MatrixView dst)
{
    for (std::int64_t image = 0; image < dst.rows; ++image) {
        for (std::int64_t channel = 0; channel < dst.cols; ++channel) {
            double sum = 0.0;
            forEachPixel(src.row(image), dst.cols, channel, [&](float value) { sum += value; });
            dst.at(image)[channel] =
                static_cast<float>(sum / static_cast<double>(src.cols / dst.cols));
        }
    }
}

void meanGradient(ThreadPool&, ConstMatrixView dstGrad, MatrixView srcGrad)
{
    const auto pixels = static_cast<double>(srcGrad.cols / dstGrad.cols);
    for (std::int64_t image = 0; image < srcGrad.rows; ++image) {
        for (std::int64_t i = 0; i < srcGrad.cols; ++i) {
            srcGrad.at(image)[i] =
                static_cast<float>(double{dstGrad.at(image)[i % dstGrad.cols]} / pixels);
        }
    }
}

void maximum(ThreadPool&, ConstMatrixView src, MatrixView dst)
{
    for (std::int64_t image = 0; image < dst.rows; ++image) {
        for (std::int64_t channel = 0; channel < dst.cols; ++channel) {
            float largest = src.at(image)[channel];
            forEachPixel(src.row(image), dst.cols, channel, [&](float value) {
                largest = value > largest || std::isnan(value) ? value : largest;
            });
            dst.at(image)[channel] = largest;
        }
    }
}

void maximumGradient(ThreadPool&, ConstMatrixView src, ConstMatrixView dst, ConstMatrixView dstGrad,
                     MatrixView srcGrad)
{
    for (std::int64_t image = 0; image < dst.rows; ++image) {
        for (std::int64_t channel = 0; channel < dst.cols; ++channel) {
            const float largest = dst.at(image)[channel];
            std::int64_t ties = 0;
            forEachPixel(src.row(image), dst.cols, channel,
                         [&](float value) { ties += value == largest ? 1 : 0; });
            for (std::int64_t at = channel; at < src.cols; at += dst.cols) {
                const bool isLargest = src.at(image)[at] == largest;
                srcGrad.at(image)[at] =
                    isLargest ? static_cast<float>(double{dstGrad.at(image)[channel]} /
                                                   static_cast<double>(ties))
                              : 0.0F;
            }
        }
    }
}

} // namespace

const GlobalPoolingKernels kGlobalPooling = {mean, meanGradient, maximum, maximumGradient};

} // namespace cannery::kernels::reference
