// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/global_pooling.h"

#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::kernels::cpu {

namespace {

/// Channels that are summed at a time: their sums stay on the stack.
constexpr std::int64_t kChannels = 64;

/// function(image, first channel, number of channels), for blocks of channels of every image.
template <typename Function>
void forEachChannelBlock(ThreadPool& pool, std::int64_t images, std::int64_t floats,
                         std::int64_t channels, Function&& function)
{
    forEachRowBlock(pool, images, floats, [&](BlockRange block, int) {
        for (std::int64_t image = block.first; image < block.first + block.count; ++image) {
            for (std::int64_t first = 0; first < channels; first += kChannels) {
                function(image, first, std::min(kChannels, channels - first));
            }
        }
    });
}

void mean(ThreadPool& pool, ConstMatrixView src, MatrixView dst)
{
    const std::int64_t pixels = src.cols / dst.cols;
    forEachChannelBlock(pool, dst.rows, src.cols, dst.cols,
                        [&](std::int64_t image, std::int64_t first, std::int64_t count) {
                            std::array<double, kChannels> sums{};
                            const float* pixel = src.at(image) + first;
                            for (std::int64_t p = 0; p < pixels; ++p, pixel += dst.cols) {
                                for (std::int64_t c = 0; c < count; ++c) {
                                    sums[static_cast<std::size_t>(c)] += double{pixel[c]};
                                }
                            }
                            for (std::int64_t c = 0; c < count; ++c) {
                                dst.at(image)[first + c] =
                                    static_cast<float>(sums[static_cast<std::size_t>(c)] /
                                                       static_cast<double>(pixels));
                            }
                        });
}

void meanGradient(ThreadPool& pool, ConstMatrixView dstGrad, MatrixView srcGrad)
{
    const std::int64_t pixels = srcGrad.cols / dstGrad.cols;
    forEachChannelBlock(pool, srcGrad.rows, srcGrad.cols, dstGrad.cols,
                        [&](std::int64_t image, std::int64_t first, std::int64_t count) {
                            std::array<float, kChannels> shares;
                            for (std::int64_t c = 0; c < count; ++c) {
                                shares[static_cast<std::size_t>(c)] =
                                    static_cast<float>(double{dstGrad.at(image)[first + c]} /
                                                       static_cast<double>(pixels));
                            }
                            float* pixel = srcGrad.at(image) + first;
                            for (std::int64_t p = 0; p < pixels; ++p, pixel += dstGrad.cols) {
                                std::copy_n(shares.begin(), count, pixel);
                            }
                        });
}

void maximum(ThreadPool& pool, ConstMatrixView src, MatrixView dst)
{
    const std::int64_t pixels = src.cols / dst.cols;
    forEachChannelBlock(pool, dst.rows, src.cols, dst.cols,
                        [&](std::int64_t image, std::int64_t first, std::int64_t count) {
                            const float* pixel = src.at(image) + first;
                            float* const largest = dst.at(image) + first;
                            std::copy_n(pixel, count, largest);
                            for (std::int64_t p = 1; p < pixels; ++p) {
                                pixel += dst.cols;
                                for (std::int64_t c = 0; c < count; ++c) {
                                    // The second comparison is true of NaN alone.
                                    const bool isLarger =
                                        pixel[c] > largest[c] || pixel[c] != pixel[c];
                                    largest[c] = isLarger ? pixel[c] : largest[c];
                                }
                            }
                        });
}

void maximumGradient(ThreadPool& pool, ConstMatrixView src, ConstMatrixView dst,
                     ConstMatrixView dstGrad, MatrixView srcGrad)
{
    const std::int64_t pixels = src.cols / dst.cols;
    forEachChannelBlock(
        pool, dst.rows, src.cols, dst.cols,
        [&](std::int64_t image, std::int64_t first, std::int64_t count) {
            const float* const largest = dst.at(image) + first;
            std::array<double, kChannels> ties{};
            const float* pixel = src.at(image) + first;
            for (std::int64_t p = 0; p < pixels; ++p, pixel += dst.cols) {
                for (std::int64_t c = 0; c < count; ++c) {
                    ties[static_cast<std::size_t>(c)] += pixel[c] == largest[c] ? 1.0 : 0.0;
                }
            }
            std::array<float, kChannels> shares;
            for (std::int64_t c = 0; c < count; ++c) {
                shares[static_cast<std::size_t>(c)] = static_cast<float>(
                    double{dstGrad.at(image)[first + c]} / ties[static_cast<std::size_t>(c)]);
            }
            pixel = src.at(image) + first;
            float* grad = srcGrad.at(image) + first;
            for (std::int64_t p = 0; p < pixels; ++p, pixel += dst.cols, grad += dst.cols) {
                for (std::int64_t c = 0; c < count; ++c) {
                    grad[c] = pixel[c] == largest[c] ? shares[static_cast<std::size_t>(c)] : 0.0F;
                }
            }
        });
}

} // namespace

const GlobalPoolingKernels kGlobalPooling = {mean, meanGradient, maximum, maximumGradient};

} // namespace cannery::kernels::cpu
