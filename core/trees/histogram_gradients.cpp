// SPDX-License-Identifier: Apache-2.0
#include "core/trees/histogram_gradients.h"

#include <algorithm>
#include <cmath>

namespace cannery::trees {

namespace {

constexpr std::int64_t kPackedRows = 32 * 1024;

struct Largest
{
    float gradient = 0.0F;
    float hessian = 0.0F;
};

/// A maximum is exact, so the order of blocks does not matter.
Largest largestOf(kernels::ThreadPool& pool, const TreeGradients& gradients, std::int64_t rows)
{
    std::vector<Largest> blocks(static_cast<std::size_t>(rows / kPackedRows + 1));
    kernels::forEachBlock(pool, rows, kPackedRows, [&](kernels::BlockRange range, int) {
        Largest largest;
        for (std::int64_t row = range.first; row < range.first + range.count; ++row) {
            largest.gradient = std::max(largest.gradient, std::abs(gradients.gradients[row]));
            largest.hessian = std::max(largest.hessian, gradients.hessians[row]);
        }
        blocks[range.first / kPackedRows] = largest;
    });
    Largest all;
    for (const Largest& block : blocks) {
        all.gradient = std::max(all.gradient, block.gradient);
        all.hessian = std::max(all.hessian, block.hessian);
    }
    return all;
}

/// The steps from 0 to the largest number; one if all are 0.
float stepsPerUnit(float largest, std::int32_t limit)
{
    // So small a largest number that its reciprocal overflows is as good as 0.
    const float steps = static_cast<float>(limit) / largest;
    return std::isfinite(steps) ? steps : 0.0F;
}

} // namespace

GradientUnits packGradients(kernels::ThreadPool& pool, const TreeGradients& gradients,
                            std::span<std::uint64_t> packed)
{
    const auto rows = static_cast<std::int64_t>(packed.size());
    const Largest largest = largestOf(pool, gradients, rows);
    const float gradientSteps = stepsPerUnit(largest.gradient, kernels::kGradientLimit);
    const float hessianSteps = stepsPerUnit(largest.hessian, kernels::kHessianLimit);
    // To the nearest integer, ties to even: rounding always to one side would add up over many
    // rows.
    const auto rounded = [](float value, float steps, std::int32_t lowest, std::int32_t highest) {
        const float scaled = std::nearbyint(value * steps);
        if (!(scaled > static_cast<float>(lowest))) {
            return lowest; // NaN too
        }
        return static_cast<std::int32_t>(std::min(scaled, static_cast<float>(highest)));
    };
    kernels::forEachBlock(pool, rows, kPackedRows, [&](kernels::BlockRange range, int) {
        for (std::int64_t row = range.first; row < range.first + range.count; ++row) {
            packed[row] = kernels::packGradient(
                rounded(gradients.gradients[row], gradientSteps, -kernels::kGradientLimit,
                        kernels::kGradientLimit),
                rounded(gradients.hessians[row], hessianSteps, 0, kernels::kHessianLimit));
        }
    });
    return {.gradient = gradientSteps > 0 ? 1.0 / gradientSteps : 0.0,
            .hessian = hessianSteps > 0 ? 1.0 / hessianSteps : 0.0};
}

} // namespace cannery::trees
