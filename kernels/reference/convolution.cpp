// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/convolution.h"

#include <algorithm>

namespace cannery::kernels::reference {

namespace {

/// One product of the sum that the contract defines, as offsets into an image, the kernel and an
/// image of the result.
struct Product
{
    std::int64_t src = 0;
    std::int64_t kernel = 0;
    std::int64_t dst = 0;
};

/// Calls function(Product) for every product of one element of dst, in the order of the kernel.
template <typename Function>
void forEachProduct(const ConvolutionProblem& problem, std::int64_t y, std::int64_t x,
                    std::int64_t filter, const Function& function)
{
    const std::int64_t channels = problem.groupChannels();
    const std::int64_t firstChannel = filter / problem.groupFilters() * channels;
    const std::int64_t dst = (y * problem.width.positions() + x) * problem.filters + filter;
    for (std::int64_t i = 0; i < problem.height.window; ++i) {
        const std::int64_t row = problem.height.pixel(y, i);
        for (std::int64_t j = 0; j < problem.width.window; ++j) {
            const std::int64_t col = problem.width.pixel(x, j);
            if (row < 0 || row >= problem.height.size || col < 0 || col >= problem.width.size) {
                continue;
            }
            const std::int64_t pixel = row * problem.width.size + col;
            const std::int64_t tap = i * problem.width.window + j;
            for (std::int64_t c = 0; c < channels; ++c) {
                function(Product{pixel * problem.inChannels + firstChannel + c,
                                 (tap * channels + c) * problem.filters + filter, dst});
            }
        }
    }
}

template <typename Function>
void forEachElement(const ConvolutionProblem& problem, const Function& function)
{
    for (std::int64_t y = 0; y < problem.height.positions(); ++y) {
        for (std::int64_t x = 0; x < problem.width.positions(); ++x) {
            for (std::int64_t filter = 0; filter < problem.filters; ++filter) {
                function(y, x, filter);
            }
        }
    }
}

void forward(ConvolutionPlan& plan, ThreadPool&, ConstMatrixView src, std::span<const float> kernel,
             const ConvolutionEpilogue& epilogue, MatrixView dst)
{
    const ConvolutionProblem& problem = plan.problem;
    for (std::int64_t n = 0; n < dst.rows; ++n) {
        forEachElement(problem, [&](std::int64_t y, std::int64_t x, std::int64_t filter) {
            double sum = 0;
            forEachProduct(problem, y, x, filter, [&](const Product& product) {
                sum += static_cast<double>(src.at(n)[product.src]) * kernel[product.kernel];
            });
            if (!epilogue.bias.empty()) {
                sum += epilogue.bias[filter];
            }
            dst.at(n)[(y * problem.width.positions() + x) * problem.filters + filter] =
                withFormula(epilogue.activation,
                            [&](auto formula) { return static_cast<float>(formula.value(sum)); });
        });
    }
}

void srcGradient(ConvolutionPlan& plan, ThreadPool&, ConstMatrixView dstGrad,
                 std::span<const float> kernel, MatrixView srcGrad)
{
    std::vector<double> sums(static_cast<std::size_t>(srcGrad.cols));
    for (std::int64_t n = 0; n < srcGrad.rows; ++n) {
        std::ranges::fill(sums, 0.0);
        forEachElement(plan.problem, [&](std::int64_t y, std::int64_t x, std::int64_t filter) {
            forEachProduct(plan.problem, y, x, filter, [&](const Product& product) {
                sums[product.src] +=
                    static_cast<double>(dstGrad.at(n)[product.dst]) * kernel[product.kernel];
            });
        });
        std::ranges::transform(sums, srcGrad.at(n),
                               [](double sum) { return static_cast<float>(sum); });
    }
}

void kernelGradient(ConvolutionPlan& plan, ThreadPool&, ConstMatrixView src,
                    ConstMatrixView dstGrad, std::span<float> kernelGrad)
{
    std::vector<double> sums(kernelGrad.size());
    for (std::int64_t n = 0; n < src.rows; ++n) {
        forEachElement(plan.problem, [&](std::int64_t y, std::int64_t x, std::int64_t filter) {
            forEachProduct(plan.problem, y, x, filter, [&](const Product& product) {
                sums[product.kernel] +=
                    static_cast<double>(src.at(n)[product.src]) * dstGrad.at(n)[product.dst];
            });
        });
    }
    std::ranges::transform(sums, kernelGrad.begin(),
                           [](double sum) { return static_cast<float>(sum); });
}

std::unique_ptr<ConvolutionPlan> plan(const ConvolutionProblem& problem)
{
    return std::make_unique<ConvolutionPlan>(problem);
}

} // namespace

const ConvolutionKernels kConvolution = {forward, srcGradient, kernelGradient, plan};

} // namespace cannery::kernels::reference
