// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/pooling.h"

#include <cmath>

namespace cannery::kernels::reference {

namespace {

/// The values of one channel under the window, as offsets into an image.
std::vector<std::int64_t> valuesUnder(const PoolingProblem& problem, std::int64_t y, std::int64_t x,
                                      std::int64_t channel)
{
    std::vector<std::int64_t> offsets;
    for (std::int64_t i = 0; i < problem.height.window; ++i) {
        for (std::int64_t j = 0; j < problem.width.window; ++j) {
            const std::int64_t row = problem.height.pixel(y, i);
            const std::int64_t col = problem.width.pixel(x, j);
            if (row >= 0 && row < problem.height.size && col >= 0 && col < problem.width.size) {
                offsets.push_back((row * problem.width.size + col) * problem.channels + channel);
            }
        }
    }
    return offsets;
}

/// Where the maximum of some values is; there is at least one.
std::int64_t firstLargest(std::span<const std::int64_t> offsets, const float* image)
{
    std::int64_t largest = offsets.front();
    for (const std::int64_t offset : offsets) {
        if (std::isnan(image[largest])) {
            break;
        }
        if (std::isnan(image[offset]) || image[offset] > image[largest]) {
            largest = offset;
        }
    }
    return largest;
}

/// Calls function(offset into an image of dst, offsets of the values) where there are values.
template <typename Function>
void forEachWindow(const PoolingProblem& problem, const Function& function)
{
    for (std::int64_t y = 0; y < problem.height.positions(); ++y) {
        for (std::int64_t x = 0; x < problem.width.positions(); ++x) {
            for (std::int64_t c = 0; c < problem.channels; ++c) {
                const std::vector<std::int64_t> offsets = valuesUnder(problem, y, x, c);
                if (!offsets.empty()) {
                    function((y * problem.width.positions() + x) * problem.channels + c, offsets);
                }
            }
        }
    }
}

void forward(const PoolingProblem& problem, ThreadPool&, ConstMatrixView src, MatrixView dst)
{
    for (std::int64_t n = 0; n < dst.rows; ++n) {
        const float* image = src.at(n);
        float* result = dst.at(n);
        std::fill_n(result, dst.cols, 0.0F);
        forEachWindow(problem, [&](std::int64_t to, const std::vector<std::int64_t>& offsets) {
            if (problem.rule == PoolingRule::Max) {
                result[to] = image[firstLargest(offsets, image)];
                return;
            }
            double sum = 0;
            for (const std::int64_t offset : offsets) {
                sum += image[offset];
            }
            result[to] = static_cast<float>(sum / static_cast<double>(offsets.size()));
        });
    }
}

void backward(const PoolingProblem& problem, ThreadPool&, ConstMatrixView src, ConstMatrixView,
              ConstMatrixView dstGrad, MatrixView srcGrad)
{
    for (std::int64_t n = 0; n < srcGrad.rows; ++n) {
        std::vector<double> sums(static_cast<std::size_t>(srcGrad.cols));
        forEachWindow(problem, [&](std::int64_t from, const std::vector<std::int64_t>& offsets) {
            const double grad = dstGrad.at(n)[from];
            if (problem.rule == PoolingRule::Max) {
                sums[firstLargest(offsets, src.at(n))] += grad;
                return;
            }
            for (const std::int64_t offset : offsets) {
                sums[offset] += grad / static_cast<double>(offsets.size());
            }
        });
        std::ranges::transform(sums, srcGrad.at(n),
                               [](double sum) { return static_cast<float>(sum); });
    }
}

} // namespace

const PoolingKernels kPooling = {forward, backward};

} // namespace cannery::kernels::reference
