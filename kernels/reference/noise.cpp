// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/noise.h"

#include "kernels/math/dropout_bits.h"
#include "kernels/math/normal_numbers.h"

namespace cannery::kernels::reference {

namespace {

std::array<std::uint32_t, 4> wordsOf(const Noise& noise, std::int64_t row, std::int64_t unit)
{
    return philox(dropoutCounter(static_cast<std::uint64_t>(unit),
                                 noise.firstRow + static_cast<std::uint64_t>(row), noise.step,
                                 noise.layer),
                  dropoutKey(noise.seed));
}

/// Two words of four make two numbers.
double normalOf(const Noise& noise, std::int64_t row, std::int64_t unit)
{
    const auto words = wordsOf(noise, row, unit);
    const auto first = static_cast<std::size_t>(unit % 4 / 2 * 2);
    const NormalPair<double> pair = normalPair<double>(words[first], words[first + 1]);
    return unit % 2 == 0 ? pair.first : pair.second;
}

bool isKept(const Noise& noise, std::int64_t row, std::int64_t unit)
{
    const auto words = wordsOf(noise, row, unit);
    return uniformFloat(words[static_cast<std::size_t>(unit % 4)]) >= noise.amount;
}

double noisy(const Noise& noise, std::int64_t r, std::int64_t c, double x)
{
    switch (noise.rule) {
    case NoiseRule::Add:
        return x + double{noise.amount} * normalOf(noise, r, c);
    case NoiseRule::Multiply:
        return x * (1.0 + double{noise.amount} * normalOf(noise, r, c));
    case NoiseRule::AlphaDropout:
        break;
    }
    const AlphaDropoutScale scale = alphaDropoutScale(double{noise.amount});
    return scale.factor * (isKept(noise, r, c) ? x : alphaDropoutLimit()) + scale.offset;
}

double slope(const Noise& noise, std::int64_t r, std::int64_t c)
{
    switch (noise.rule) {
    case NoiseRule::Add:
        return 1.0;
    case NoiseRule::Multiply:
        return 1.0 + double{noise.amount} * normalOf(noise, r, c);
    case NoiseRule::AlphaDropout:
        break;
    }
    return isKept(noise, r, c) ? alphaDropoutScale(double{noise.amount}).factor : 0.0;
}

void run(ThreadPool&, const Noise& noise, ConstMatrixView src, MatrixView dst)
{
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        for (std::int64_t c = 0; c < dst.cols; ++c) {
            dst.at(r)[c] = static_cast<float>(noisy(noise, r, c, double{src.at(r)[c]}));
        }
    }
}

void gradient(ThreadPool&, const Noise& noise, ConstMatrixView dstGrad, MatrixView srcGrad)
{
    for (std::int64_t r = 0; r < srcGrad.rows; ++r) {
        for (std::int64_t c = 0; c < srcGrad.cols; ++c) {
            srcGrad.at(r)[c] = static_cast<float>(double{dstGrad.at(r)[c]} * slope(noise, r, c));
        }
    }
}

} // namespace

const NoiseKernels kNoise = {run, gradient};

} // namespace cannery::kernels::reference
