// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/tap_products.h"

#include "kernels/cpu/activate.h"
#include "kernels/cpu/gemm_tile.h"

#include <algorithm>
#include <functional>

namespace cannery::kernels::cpu {

namespace {

/// The positions of one row under which a tap has pixels.
struct TapRun
{
    std::int64_t tap = 0;
    std::int64_t firstPosition = 0; ///< in the row
    std::int64_t count = 0;
    std::int64_t firstPixel = 0; ///< in the picture; the next one is a stride further
};

/// Of the taps in row `i` of the window, at row `y` of the positions.
template <typename Function>
void forEachTapRun(const ConvolutionProblem& problem, std::int64_t y, std::int64_t i,
                   const Function& function)
{
    const WindowAxis& width = problem.width;
    for (std::int64_t j = 0; j < width.window; ++j) {
        const WindowAxis::Range inside = width.positionsInside(j);
        if (inside.end > inside.first) {
            function(
                TapRun{i * width.window + j, inside.first, inside.end - inside.first,
                       problem.height.pixel(y, i) * width.size + width.pixel(inside.first, j)});
        }
    }
}

/// One group of one row of positions, without bias.
void computeRow(const GemmKernels& gemm, const ConvolutionProblem& problem, const float* picture,
                std::span<const float> kernel, std::int64_t group, std::int64_t y,
                std::span<float> scratch, MatrixView row)
{
    const std::int64_t channels = problem.groupChannels();
    const std::int64_t firstFilter = group * problem.groupFilters();
    const std::int64_t pixelStep = problem.width.stride * problem.inChannels;
    const WindowAxis::Range taps = problem.height.tapsInside(y);
    const auto add = [&](const TapRun& run) {
        for (std::int64_t done = 0; done < run.count; done += kMaxTileRows) {
            multiplyTile(
                gemm,
                {.left = {picture + run.firstPixel * problem.inChannels + group * channels +
                              done * pixelStep,
                          pixelStep, 1},
                 .right = {kernel.data() + run.tap * channels * problem.filters + firstFilter, 1,
                           problem.filters},
                 .dst = row.at(run.firstPosition + done) + firstFilter,
                 .dstStride = row.stride,
                 .rows = std::min(kMaxTileRows, run.count - done),
                 .cols = problem.groupFilters(),
                 .depth = channels,
                 .accumulate = true},
                scratch);
        }
    };
    for (std::int64_t i = taps.first; i < taps.end; ++i) {
        forEachTapRun(problem, y, i, add);
    }
}

/// The gradient of some channels of one tap's kernel.
struct KernelPart
{
    std::int64_t tap = 0;
    std::int64_t group = 0;
    BlockRange channels; ///< of the group
};

void computeKernelPart(const GemmKernels& gemm, const ConvolutionProblem& problem,
                       ConstMatrixView src, ConstMatrixView dstGrad, const KernelPart& part,
                       std::span<float> scratch, float* kernelGrad)
{
    const std::int64_t firstFilter = part.group * problem.groupFilters();
    const std::int64_t firstChannel = part.group * problem.groupChannels() + part.channels.first;
    const WindowAxis::Range rows = problem.height.positionsInside(part.tap / problem.width.window);
    const auto add = [&](std::int64_t image, std::int64_t y, const TapRun& run) {
        const std::int64_t position = y * problem.width.positions() + run.firstPosition;
        multiplyTile(
            gemm,
            {.left = {src.at(image) + run.firstPixel * problem.inChannels + firstChannel, 1,
                      problem.width.stride * problem.inChannels},
             .right = {dstGrad.at(image) + position * problem.filters + firstFilter, 1,
                       problem.filters},
             .dst = kernelGrad +
                    (part.tap * problem.groupChannels() + part.channels.first) * problem.filters +
                    firstFilter,
             .dstStride = problem.filters,
             .rows = part.channels.count,
             .cols = problem.groupFilters(),
             .depth = run.count,
             .accumulate = true},
            scratch);
    };
    for (std::int64_t image = 0; image < src.rows; ++image) {
        for (std::int64_t y = rows.first; y < rows.end; ++y) {
            forEachTapRun(problem, y, part.tap / problem.width.window, [&](const TapRun& run) {
                if (run.tap == part.tap) {
                    add(image, y, run);
                }
            });
        }
    }
}

} // namespace

void forwardByTaps(const GemmKernels& gemm, const ConvolutionProblem& problem, ThreadPool& pool,
                   ConstMatrixView src, std::span<const float> kernel,
                   const ConvolutionEpilogue& epilogue, MatrixView dst)
{
    const std::int64_t height = problem.height.positions();
    const std::int64_t width = problem.width.positions();
    const auto runRow = [&](std::int64_t index, int worker) {
        const std::int64_t image = index / height;
        const std::int64_t y = index % height;
        const MatrixView row{dst.at(image) + y * width * problem.filters, width, problem.filters,
                             problem.filters};
        std::ranges::fill(row.flat(), 0.0F);
        for (std::int64_t group = 0; group < problem.groups; ++group) {
            computeRow(gemm, problem, src.at(image), kernel, group, y, pool.scratch(worker), row);
        }
        for (std::int64_t x = 0; x < width && !epilogue.bias.empty(); ++x) {
            std::ranges::transform(row.row(x), epilogue.bias, row.at(x), std::plus<>());
        }
        if (epilogue.activation != Activation::Linear) {
            activate(epilogue.activation, row);
        }
    };
    pool.parallelFor(dst.rows * height, runRow);
}

void kernelGradientByTaps(const GemmKernels& gemm, const ConvolutionProblem& problem,
                          ThreadPool& pool, ConstMatrixView src, ConstMatrixView dstGrad,
                          std::span<float> kernelGrad)
{
    std::ranges::fill(kernelGrad, 0.0F);
    const std::int64_t channels = problem.groupChannels();
    const std::int64_t channelBlocks = (channels + kMaxTileRows - 1) / kMaxTileRows;
    const auto runPart = [&](std::int64_t index, int worker) {
        const std::int64_t first = index % channelBlocks * kMaxTileRows;
        computeKernelPart(gemm, problem, src, dstGrad,
                          {.tap = index / channelBlocks / problem.groups,
                           .group = index / channelBlocks % problem.groups,
                           .channels = {first, std::min(kMaxTileRows, channels - first)}},
                          pool.scratch(worker), kernelGrad.data());
    };
    pool.parallelFor(problem.height.window * problem.width.window * problem.groups * channelBlocks,
                     runPart);
}

} // namespace cannery::kernels::cpu
