// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/convolution.h"

#include "kernels/cpu/activate.h"
#include "kernels/cpu/lane_blocks.h"
#include "kernels/cpu/partial_sums.h"

#include <algorithm>
#include <array>

/// Depthwise convolutions: loops over neighbouring filters, which the compiler vectorizes. Padding
/// is skipped.
namespace cannery::kernels::cpu {

namespace {

/// Products of a block that justify another thread.
constexpr std::int64_t kBlockProducts = 256 * 1024;

std::int64_t pieces(std::int64_t whole, std::int64_t piece)
{
    return (whole + piece - 1) / piece;
}

/// For each pixel along an axis, the taps under which it can be, and the positions where it is.
class TapsByPixel
{
public:
    struct Hit
    {
        std::int64_t tap = 0;
        std::int64_t position = 0;
    };

    explicit TapsByPixel(const WindowAxis& axis) : m_first(1, 0)
    {
        std::vector<std::vector<Hit>> hits(static_cast<std::size_t>(axis.size));
        for (std::int64_t tap = 0; tap < axis.window; ++tap) {
            const WindowAxis::Range inside = axis.positionsInside(tap);
            for (std::int64_t position = inside.first; position < inside.end; ++position) {
                hits[axis.pixel(position, tap)].push_back({tap, position});
            }
        }
        for (const std::vector<Hit>& pixel : hits) {
            m_hits.insert(m_hits.end(), pixel.begin(), pixel.end());
            m_first.push_back(m_hits.size());
        }
    }

    std::span<const Hit> of(std::int64_t pixel) const
    {
        return std::span(m_hits).subspan(m_first[pixel], m_first[pixel + 1] - m_first[pixel]);
    }

private:
    std::vector<Hit> m_hits;
    std::vector<std::size_t> m_first;
};

class Plan : public ConvolutionPlan
{
public:
    explicit Plan(const ConvolutionProblem& shapes)
        : ConvolutionPlan(shapes), rows(problem.height), cols(problem.width),
          laneBlocks(pieces(problem.filters, kLanes)),
          partialSums(shapes.kernelFloats(),
                      shapes.trains ? laneBlocks : PartialSums::kEnoughBlocks)
    {
        for (std::int64_t filter = 0; filter < problem.filters; ++filter) {
            channelOf.push_back(static_cast<std::int32_t>(filter / problem.groupFilters()));
        }
    }

    TapsByPixel rows;
    TapsByPixel cols;
    std::vector<std::int32_t> channelOf; ///< each filter's
    std::int64_t laneBlocks;
    PartialSums partialSums;
};

std::unique_ptr<ConvolutionPlan> plan(const ConvolutionProblem& problem)
{
    return std::make_unique<Plan>(problem);
}

/// Whether each channel has one filter: then a filter's channel has its number.
bool isSimple(const ConvolutionProblem& problem)
{
    return problem.filters == problem.inChannels;
}

/// A pixel's values for the filters from `first` on: in place, or repeated for the filters of each
/// channel.
template <bool Simple>
class Spread
{
public:
    Spread(const Plan& plan, std::int64_t first, std::int64_t count)
        : m_channels(plan.channelOf.data() + first), m_first(first), m_count(count)
    {}

    const float* of(const float* pixel)
    {
        if constexpr (Simple) {
            return pixel + m_first;
        } else {
            for (std::int64_t i = 0; i < m_count; ++i) {
                m_values[i] = pixel[m_channels[i]];
            }
            return m_values.data();
        }
    }

private:
    const std::int32_t* m_channels;
    std::int64_t m_first;
    std::int64_t m_count;
    std::array<float, kLanes> m_values;
};

/// One position: dst[f] = bias[f] + sum over the taps of src * kernel.
template <bool Simple>
void computePosition(const Plan& plan, const float* picture, std::span<const float> kernel,
                     std::span<const float> bias, std::int64_t y, std::int64_t x, float* dst)
{
    const ConvolutionProblem& problem = plan.problem;
    const WindowAxis::Range taps = problem.height.tapsInside(y);
    const WindowAxis::Range rowTaps = problem.width.tapsInside(x);
    forEachLaneBlock(0, problem.filters, [&](std::int64_t first, auto sums) {
        Spread<Simple> spread(plan, first, sums.count());
        for (std::int64_t i = taps.first; i < taps.end; ++i) {
            const std::int64_t row = problem.height.pixel(y, i) * problem.width.size;
            const float* weights =
                kernel.data() + i * problem.width.window * problem.filters + first;
            for (std::int64_t j = rowTaps.first; j < rowTaps.end; ++j) {
                const std::int64_t pixel = row + problem.width.pixel(x, j);
                sums.addProduct(spread.of(picture + pixel * problem.inChannels),
                                weights + j * problem.filters);
            }
        }
        if (!bias.empty()) {
            sums.add(bias.data() + first);
        }
        sums.store(dst + first);
    });
}

/// Rows of positions or pixels that make a block.
std::int64_t blockRows(const ConvolutionProblem& problem, std::int64_t width)
{
    const std::int64_t rowProducts =
        width * problem.filters * problem.height.window * problem.width.window;
    return std::max<std::int64_t>(1, kBlockProducts / std::max<std::int64_t>(rowProducts, 1));
}

/// Calls function(image, row) for all rows of all images, in blocks.
template <typename Function>
void forEachRow(ThreadPool& pool, std::int64_t images, std::int64_t height, std::int64_t blockRows,
                const Function& function)
{
    forEachBlock(pool, images * height, blockRows, [&](BlockRange rows, int) {
        for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
            function(row / height, row % height);
        }
    });
}

void forward(ConvolutionPlan& planned, ThreadPool& pool, ConstMatrixView src,
             std::span<const float> kernel, const ConvolutionEpilogue& epilogue, MatrixView dst)
{
    const Plan& plan = static_cast<const Plan&>(planned);
    const ConvolutionProblem& problem = plan.problem;
    const std::int64_t width = problem.width.positions();
    const auto compute = isSimple(problem) ? computePosition<true> : computePosition<false>;
    forEachRow(
        pool, dst.rows, problem.height.positions(), blockRows(problem, width),
        [&](std::int64_t image, std::int64_t y) {
            float* row = dst.at(image) + y * width * problem.filters;
            for (std::int64_t x = 0; x < width; ++x) {
                compute(plan, src.at(image), kernel, epilogue.bias, y, x,
                        row + x * problem.filters);
            }
            if (epilogue.activation != Activation::Linear) {
                activate(epilogue.activation, {row, width, problem.filters, problem.filters});
            }
        });
}

/// One pixel: srcGrad[c] = sum over its taps, and over the channel's filters.
template <bool Simple>
void computePixel(const Plan& plan, const float* dstGrad, std::span<const float> kernel,
                  std::int64_t y, std::int64_t x, float* srcGrad)
{
    const ConvolutionProblem& problem = plan.problem;
    const std::int64_t filters = problem.filters;
    if (!Simple) {
        std::fill_n(srcGrad, problem.inChannels, 0.0F);
    }
    forEachLaneBlock(0, filters, [&](std::int64_t first, auto sums) {
        for (const TapsByPixel::Hit& row : plan.rows.of(y)) {
            for (const TapsByPixel::Hit& col : plan.cols.of(x)) {
                const std::int64_t position =
                    row.position * problem.width.positions() + col.position;
                const std::int64_t tap = row.tap * problem.width.window + col.tap;
                sums.addProduct(dstGrad + position * filters + first,
                                kernel.data() + tap * filters + first);
            }
        }
        if constexpr (Simple) {
            sums.store(srcGrad + first);
        } else {
            std::array<float, kLanes> values;
            sums.store(values.data());
            for (std::int64_t i = 0; i < sums.count(); ++i) {
                srcGrad[plan.channelOf[first + i]] += values[i];
            }
        }
    });
}

void srcGradient(ConvolutionPlan& planned, ThreadPool& pool, ConstMatrixView dstGrad,
                 std::span<const float> kernel, MatrixView srcGrad)
{
    const Plan& plan = static_cast<const Plan&>(planned);
    const ConvolutionProblem& problem = plan.problem;
    const std::int64_t width = problem.width.size;
    const auto compute = isSimple(problem) ? computePixel<true> : computePixel<false>;
    forEachRow(pool, srcGrad.rows, problem.height.size, blockRows(problem, width),
               [&](std::int64_t image, std::int64_t y) {
                   for (std::int64_t x = 0; x < width; ++x) {
                       compute(plan, dstGrad.at(image), kernel, y, x,
                               srcGrad.at(image) + (y * width + x) * problem.inChannels);
                   }
               });
}

/// What one row of positions of one image adds to the gradient of one row of taps.
template <bool Simple, typename Lanes>
void addRow(const Plan& plan, const float* pixels, const float* grad, std::int64_t first,
            const Lanes& zeros, float* kernelGrad)
{
    const WindowAxis& width = plan.problem.width;
    const std::int64_t filters = plan.problem.filters;
    Spread<Simple> spread(plan, first, zeros.count());
    for (std::int64_t j = 0; j < width.window; ++j) {
        Lanes sums = zeros;
        const WindowAxis::Range inside = width.positionsInside(j);
        for (std::int64_t x = inside.first; x < inside.end; ++x) {
            sums.addProduct(spread.of(pixels + width.pixel(x, j) * plan.problem.inChannels),
                            grad + x * filters + first);
        }
        float* total = kernelGrad + j * filters + first;
        sums.add(total);
        sums.store(total);
    }
}

/// Some filters' gradient, over some images.
template <bool Simple, typename Lanes>
void computeKernel(const Plan& plan, ConstMatrixView src, ConstMatrixView dstGrad,
                   std::int64_t first, const Lanes& zeros, float* kernelGrad)
{
    const ConvolutionProblem& problem = plan.problem;
    const WindowAxis& height = problem.height;
    const std::int64_t rowFloats = problem.width.window * problem.filters;
    for (std::int64_t tap = 0; tap < height.window * problem.width.window; ++tap) {
        zeros.store(kernelGrad + tap * problem.filters + first);
    }
    for (std::int64_t image = 0; image < src.rows; ++image) {
        for (std::int64_t y = 0; y < height.positions(); ++y) {
            const WindowAxis::Range taps = height.tapsInside(y);
            for (std::int64_t i = taps.first; i < taps.end; ++i) {
                const std::int64_t pixel = height.pixel(y, i) * problem.width.size;
                addRow<Simple>(plan, src.at(image) + pixel * problem.inChannels,
                               dstGrad.at(image) + y * problem.width.positions() * problem.filters,
                               first, zeros, kernelGrad + i * rowFloats);
            }
        }
    }
}

void kernelGradient(ConvolutionPlan& planned, ThreadPool& pool, ConstMatrixView src,
                    ConstMatrixView dstGrad, std::span<float> kernelGrad)
{
    Plan& plan = static_cast<Plan&>(planned);
    const std::int64_t filters = plan.problem.filters;
    plan.partialSums.compute(
        pool, src.rows, plan.laneBlocks, kernelGrad,
        [&](BlockRange images, std::int64_t block, float* sum, int) {
            const std::int64_t end = std::min((block + 1) * kLanes, filters);
            forEachLaneBlock(block * kLanes, end, [&](std::int64_t first, const auto& zeros) {
                const ConstMatrixView someSrc = src.slice(images.first, images.count);
                const ConstMatrixView someGrad = dstGrad.slice(images.first, images.count);
                if (isSimple(plan.problem)) {
                    computeKernel<true>(plan, someSrc, someGrad, first, zeros, sum);
                } else {
                    computeKernel<false>(plan, someSrc, someGrad, first, zeros, sum);
                }
            });
        });
}

} // namespace

const ConvolutionKernels kDepthwise = {forward, srcGradient, kernelGradient, plan};

} // namespace cannery::kernels::cpu
