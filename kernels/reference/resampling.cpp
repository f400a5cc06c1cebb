// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/resampling.h"

namespace cannery::kernels::reference {

namespace {

/// function(place, weight) for the taps of a position.
template <typename Function>
void forEachTap(const ResampledAxis& axis, std::int64_t position, Function&& function)
{
    for (std::int64_t tap = axis.begins[static_cast<std::size_t>(position)];
         tap < axis.begins[static_cast<std::size_t>(position) + 1]; ++tap) {
        function(axis.places[static_cast<std::size_t>(tap)],
                 double{axis.weights[static_cast<std::size_t>(tap)]});
    }
}

void run(const ResamplingProblem& problem, ThreadPool&, ConstMatrixView src, MatrixView dst)
{
    for (std::int64_t picture = 0; picture < dst.rows; ++picture) {
        for (std::int64_t number = 0; number < dst.cols; ++number) {
            const std::int64_t channel = number % problem.channels;
            const std::int64_t pixel = number / problem.channels;
            double sum = 0.0;
            forEachTap(problem.height, pixel / problem.width.positions(), [&](auto row, double h) {
                forEachTap(
                    problem.width, pixel % problem.width.positions(), [&](auto column, double w) {
                        const std::int64_t from = row * problem.srcWidth + column;
                        sum += h * w * double{src.at(picture)[from * problem.channels + channel]};
                    });
            });
            dst.at(picture)[number] = static_cast<float>(sum);
        }
    }
}

} // namespace

const ResamplingKernels kResampling = {run};

} // namespace cannery::kernels::reference
