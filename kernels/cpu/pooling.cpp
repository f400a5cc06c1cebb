// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/pooling.h"

#include "kernels/cpu/lane_blocks.h"

#include <algorithm>
#include <cmath>

/// Loops over neighbouring channels, which the compiler vectorizes.
namespace cannery::kernels::cpu {

namespace {

/// Values read for a block that justify another thread.
constexpr std::int64_t kBlockValues = 64 * 1024;
/// Channels of a block of the gradient, which is not cut by rows: windows may overlap.
constexpr std::int64_t kBlockChannels = 2 * kLanes;

/// The pixels of the picture under the window at one position.
struct Window
{
    Window(const PoolingProblem& problem, std::int64_t y, std::int64_t x)
        : rows(problem.height.tapsInside(y)), cols(problem.width.tapsInside(x)),
          firstRow(problem.height.pixel(y, 0)), firstCol(problem.width.pixel(x, 0))
    {}

    std::int64_t count() const { return (rows.end - rows.first) * (cols.end - cols.first); }

    /// Calls function(offset of a pixel in the image), in row-major order.
    template <typename Function>
    [[gnu::always_inline]] void forEachPixel(const PoolingProblem& problem,
                                             const Function& function) const
    {
        for (std::int64_t i = rows.first; i < rows.end; ++i) {
            const std::int64_t row = (firstRow + i * problem.height.dilation) * problem.width.size;
            for (std::int64_t j = cols.first; j < cols.end; ++j) {
                function((row + firstCol + j * problem.width.dilation) * problem.channels);
            }
        }
    }

    WindowAxis::Range rows;
    WindowAxis::Range cols;
    std::int64_t firstRow;
    std::int64_t firstCol;
};

template <PoolingRule Rule>
void computePosition(const PoolingProblem& problem, const float* image, std::int64_t y,
                     std::int64_t x, float* dst)
{
    const Window window(problem, y, x);
    if (window.count() == 0) {
        std::fill_n(dst, problem.channels, 0.0F);
        return;
    }
    const float count = static_cast<float>(window.count());
    const std::int64_t start =
        ((window.firstRow + window.rows.first * problem.height.dilation) * problem.width.size +
         window.firstCol + window.cols.first * problem.width.dilation) *
        problem.channels;
    forEachLaneBlock(0, problem.channels, [&](std::int64_t first, auto values) {
        if constexpr (Rule == PoolingRule::Max) {
            values.load(image + start + first);
        }
        window.forEachPixel(problem, [&](std::int64_t offset) {
            if constexpr (Rule == PoolingRule::Max) {
                values.keepLarger(image + offset + first);
            } else {
                values.add(image + offset + first);
            }
        });
        if constexpr (Rule == PoolingRule::Average) {
            values.divide(count);
        }
        values.store(dst + first);
    });
}

void forward(const PoolingProblem& problem, ThreadPool& pool, ConstMatrixView src, MatrixView dst)
{
    const auto compute = problem.rule == PoolingRule::Max ? computePosition<PoolingRule::Max>
                                                          : computePosition<PoolingRule::Average>;
    const std::int64_t height = problem.height.positions();
    const std::int64_t width = problem.width.positions();
    const std::int64_t rowValues =
        width * problem.channels * problem.height.window * problem.width.window;
    const std::int64_t blockRows =
        std::max<std::int64_t>(1, kBlockValues / std::max<std::int64_t>(rowValues, 1));
    forEachBlock(pool, dst.rows * height, blockRows, [&](BlockRange rows, int) {
        for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
            const std::int64_t y = row % height;
            float* to = dst.at(row / height) + y * width * problem.channels;
            for (std::int64_t x = 0; x < width; ++x) {
                compute(problem, src.at(row / height), y, x, to + x * problem.channels);
            }
        }
    });
}

/// One image of the operands of a backward pass.
struct Image
{
    const float* src = nullptr;
    const float* dst = nullptr;
    const float* dstGrad = nullptr;
    float* srcGrad = nullptr;
};

/// The first NaN under the window takes the gradient of a maximum that is NaN.
void giveToNaN(const PoolingProblem& problem, const Window& window, const Image& image,
               std::int64_t position, std::int64_t channel)
{
    bool isGiven = false;
    window.forEachPixel(problem, [&](std::int64_t offset) {
        if (!isGiven && std::isnan(image.src[offset + channel])) {
            image.srcGrad[offset + channel] += image.dstGrad[position * problem.channels + channel];
            isGiven = true;
        }
    });
}

/// Gives the gradient of each channel to the first pixel that has the maximum.
void giveToLargest(const PoolingProblem& problem, const Window& window, const Image& image,
                   std::int64_t position, BlockRange channels)
{
    const float* dst = image.dst + position * problem.channels;
    forEachLaneBlock(
        channels.first, channels.first + channels.count, [&](std::int64_t first, auto grad) {
            auto largest = grad;
            largest.load(dst + first);
            grad.load(image.dstGrad + position * problem.channels + first);
            window.forEachPixel(problem, [&](std::int64_t offset) {
                grad.giveTo(image.src + offset + first, largest, image.srcGrad + offset + first);
            });
        });
    // What is NaN has been equal to nothing. A loop without a branch is vectorized.
    const std::int64_t end = channels.first + channels.count;
    std::int32_t nans = 0;
    for (std::int64_t c = channels.first; c < end; ++c) {
        nans += dst[c] != dst[c] ? 1 : 0;
    }
    for (std::int64_t c = channels.first; nans > 0 && c < end; ++c) {
        if (std::isnan(dst[c])) {
            giveToNaN(problem, window, image, position, c);
        }
    }
}

void giveToAll(const PoolingProblem& problem, const Window& window, const Image& image,
               std::int64_t position, BlockRange channels)
{
    const float count = static_cast<float>(window.count());
    const float* from = image.dstGrad + position * problem.channels + channels.first;
    window.forEachPixel(problem, [&](std::int64_t offset) {
        float* grad = image.srcGrad + offset + channels.first;
        for (std::int64_t c = 0; c < channels.count; ++c) {
            grad[c] += from[c] / count;
        }
    });
}

/// Some channels of one image.
template <PoolingRule Rule>
void computeGradient(const PoolingProblem& problem, const Image& image, BlockRange channels)
{
    for (std::int64_t pixel = 0; pixel < problem.srcPixels(); ++pixel) {
        std::fill_n(image.srcGrad + pixel * problem.channels + channels.first, channels.count,
                    0.0F);
    }
    const std::int64_t width = problem.width.positions();
    for (std::int64_t position = 0; position < problem.dstPixels(); ++position) {
        const Window window(problem, position / width, position % width);
        if constexpr (Rule == PoolingRule::Max) {
            giveToLargest(problem, window, image, position, channels);
        } else {
            giveToAll(problem, window, image, position, channels);
        }
    }
}

void backward(const PoolingProblem& problem, ThreadPool& pool, ConstMatrixView src,
              ConstMatrixView dst, ConstMatrixView dstGrad, MatrixView srcGrad)
{
    const bool isMax = problem.rule == PoolingRule::Max;
    const std::int64_t channelBlocks = (problem.channels + kBlockChannels - 1) / kBlockChannels;
    const auto runBlock = [&](std::int64_t block, int) {
        const std::int64_t n = block / channelBlocks;
        const std::int64_t first = block % channelBlocks * kBlockChannels;
        const BlockRange channels{first, std::min(kBlockChannels, problem.channels - first)};
        Image image{.dstGrad = dstGrad.at(n), .srcGrad = srcGrad.at(n)};
        if (isMax) {
            image.src = src.at(n);
            image.dst = dst.at(n);
            computeGradient<PoolingRule::Max>(problem, image, channels);
        } else {
            computeGradient<PoolingRule::Average>(problem, image, channels);
        }
    };
    pool.parallelFor(srcGrad.rows * channelBlocks, runBlock);
}

} // namespace

const PoolingKernels kPooling = {forward, backward};

} // namespace cannery::kernels::cpu
