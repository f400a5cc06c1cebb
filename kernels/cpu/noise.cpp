// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/noise.h"

#include "kernels/device/row_blocks.h"
#include "kernels/math/dropout_bits.h"
#include "kernels/math/normal_numbers.h"

#include <algorithm>
#include <array>

namespace cannery::kernels::cpu {

namespace {

/// Units whose random bits are drawn at a time.
constexpr std::int64_t kUnits = 32;

using Bits = std::array<std::uint32_t, kUnits>;
using Numbers = std::array<float, kUnits>;

Bits bitsOf(const Noise& noise, std::uint64_t row, std::int64_t firstUnit)
{
    Bits bits;
    auto counter =
        dropoutCounter(static_cast<std::uint64_t>(firstUnit), row, noise.step, noise.layer);
    for (std::size_t unit = 0; unit < bits.size(); unit += 4) {
        std::ranges::copy(philox(counter, dropoutKey(noise.seed)), bits.begin() + unit);
        ++counter[0];
    }
    return bits;
}

Numbers normals(const Bits& bits)
{
    Numbers numbers;
    for (std::size_t pair = 0; pair < numbers.size() / 2; ++pair) {
        const NormalPair<float> drawn = normalPair<float>(bits[2 * pair], bits[2 * pair + 1]);
        numbers[2 * pair] = drawn.first;
        numbers[2 * pair + 1] = drawn.second;
    }
    return numbers;
}

/// function(random bits, source, destination, count) for some units of each row.
template <typename Function>
void forEachUnits(ThreadPool& pool, const Noise& noise, ConstMatrixView src, MatrixView dst,
                  const Function& function)
{
    forEachRowBlock(pool, dst.rows, dst.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            const std::uint64_t row = noise.firstRow + static_cast<std::uint64_t>(r);
            for (std::int64_t first = 0; first < dst.cols; first += kUnits) {
                function(bitsOf(noise, row, first), src.at(r) + first, dst.at(r) + first,
                         std::min(kUnits, dst.cols - first));
            }
        }
    });
}

void multiply(ThreadPool& pool, const Noise& noise, ConstMatrixView src, MatrixView dst)
{
    forEachUnits(pool, noise, src, dst,
                 [&](const Bits& bits, const float* from, float* to, std::int64_t count) {
                     const Numbers numbers = normals(bits);
                     for (std::int64_t c = 0; c < count; ++c) {
                         to[c] = from[c] * (1.0F + noise.amount * numbers[c]);
                     }
                 });
}

void add(ThreadPool& pool, const Noise& noise, ConstMatrixView src, MatrixView dst)
{
    forEachUnits(pool, noise, src, dst,
                 [&](const Bits& bits, const float* from, float* to, std::int64_t count) {
                     const Numbers numbers = normals(bits);
                     for (std::int64_t c = 0; c < count; ++c) {
                         to[c] = from[c] + noise.amount * numbers[c];
                     }
                 });
}

/// kept: factor x + offset; dropped: `dropped`.
void alphaDropout(ThreadPool& pool, const Noise& noise, AlphaDropoutScale scale, double dropped,
                  ConstMatrixView src, MatrixView dst)
{
    const auto factor = static_cast<float>(scale.factor);
    const auto offset = static_cast<float>(scale.offset);
    const auto other = static_cast<float>(dropped);
    forEachUnits(pool, noise, src, dst,
                 [&](const Bits& bits, const float* from, float* to, std::int64_t count) {
                     for (std::int64_t c = 0; c < count; ++c) {
                         const float kept = factor * from[c] + offset;
                         to[c] = uniformFloat(bits[c]) >= noise.amount ? kept : other;
                     }
                 });
}

void run(ThreadPool& pool, const Noise& noise, ConstMatrixView src, MatrixView dst)
{
    switch (noise.rule) {
    case NoiseRule::Add:
        return add(pool, noise, src, dst);
    case NoiseRule::Multiply:
        return multiply(pool, noise, src, dst);
    case NoiseRule::AlphaDropout: {
        const AlphaDropoutScale scale = alphaDropoutScale(double{noise.amount});
        return alphaDropout(pool, noise, scale, scale.factor * alphaDropoutLimit() + scale.offset,
                            src, dst);
    }
    }
}

void gradient(ThreadPool& pool, const Noise& noise, ConstMatrixView dstGrad, MatrixView srcGrad)
{
    switch (noise.rule) {
    case NoiseRule::Add:
        return forEachRowBlock(pool, srcGrad.rows, srcGrad.cols, [&](BlockRange rows, int) {
            for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
                std::copy_n(dstGrad.at(r), srcGrad.cols, srcGrad.at(r));
            }
        });
    case NoiseRule::Multiply:
        return multiply(pool, noise, dstGrad, srcGrad);
    case NoiseRule::AlphaDropout:
        return alphaDropout(pool, noise, {.factor = alphaDropoutScale(double{noise.amount}).factor},
                            0.0, dstGrad, srcGrad);
    }
}

} // namespace

const NoiseKernels kNoise = {run, gradient};

} // namespace cannery::kernels::cpu
