// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/resampling.h"

#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <array>

namespace cannery::kernels::cpu {

namespace {

/// Channels that are summed at a time: their sums stay on the stack.
constexpr std::int64_t kChannels = 64;

struct Taps
{
    const std::int64_t* places = nullptr;
    const float* weights = nullptr;
    std::int64_t count = 0;
};

Taps tapsOf(const ResampledAxis& axis, std::int64_t position)
{
    const auto at = static_cast<std::size_t>(position);
    const std::int64_t begin = axis.begins[at];
    return {axis.places.data() + begin, axis.weights.data() + begin, axis.begins[at + 1] - begin};
}

/// Some channels of one pixel of dst; `src` is the picture from the first of them on.
void resamplePixel(const ResamplingProblem& problem, const Taps& rows, const Taps& columns,
                   std::int64_t channels, const float* src, float* dst)
{
    if (rows.count == 1 && columns.count == 1 && rows.weights[0] == 1.0F &&
        columns.weights[0] == 1.0F) {
        const std::int64_t pixel = rows.places[0] * problem.srcWidth + columns.places[0];
        std::copy_n(src + pixel * problem.channels, channels, dst);
        return;
    }
    std::array<double, kChannels> sums{};
    for (std::int64_t i = 0; i < rows.count; ++i) {
        for (std::int64_t j = 0; j < columns.count; ++j) {
            const double weight = double{rows.weights[i]} * double{columns.weights[j]};
            const std::int64_t pixel = rows.places[i] * problem.srcWidth + columns.places[j];
            const float* const from = src + pixel * problem.channels;
            for (std::int64_t c = 0; c < channels; ++c) {
                sums[static_cast<std::size_t>(c)] += weight * double{from[c]};
            }
        }
    }
    for (std::int64_t c = 0; c < channels; ++c) {
        dst[c] = static_cast<float>(sums[static_cast<std::size_t>(c)]);
    }
}

void resamplePicture(const ResamplingProblem& problem, const float* src, float* dst)
{
    for (std::int64_t y = 0; y < problem.height.positions(); ++y) {
        const Taps rows = tapsOf(problem.height, y);
        for (std::int64_t x = 0; x < problem.width.positions(); ++x) {
            const Taps columns = tapsOf(problem.width, x);
            for (std::int64_t first = 0; first < problem.channels; first += kChannels) {
                resamplePixel(problem, rows, columns, std::min(kChannels, problem.channels - first),
                              src + first, dst + first);
            }
            dst += problem.channels;
        }
    }
}

void run(const ResamplingProblem& problem, ThreadPool& pool, ConstMatrixView src, MatrixView dst)
{
    forEachRowBlock(pool, dst.rows, std::max(src.cols, dst.cols), [&](BlockRange rows, int) {
        for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
            resamplePicture(problem, src.at(row), dst.at(row));
        }
    });
}

} // namespace

const ResamplingKernels kResampling = {run};

} // namespace cannery::kernels::cpu
