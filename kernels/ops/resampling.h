// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

#include <vector>

namespace cannery::kernels {

/// How the pixels along one side of a picture follow from those along the side of another:
///   dst[p] = sum over t in [begins[p], begins[p + 1]) of weights[t] * src[places[t]].
struct ResampledAxis
{
    std::vector<std::int64_t> begins{0}; ///< one more than there are positions
    std::vector<std::int64_t> places;    ///< below the size of the side that is read
    std::vector<float> weights;

    std::int64_t positions() const { return static_cast<std::int64_t>(begins.size()) - 1; }
    /// Adds a pixel to the last position; one without weight adds nothing, whatever it is.
    void addTap(std::int64_t place, float weight)
    {
        if (weight != 0.0F) {
            places.push_back(place);
            weights.push_back(weight);
        }
    }
    /// Ends the last position.
    void endPosition() { begins.push_back(static_cast<std::int64_t>(places.size())); }
    /// From this side back to the one of `size` pixels: what the transposed matrix does.
    ResampledAxis adjoint(std::int64_t size) const;
};

/// Pictures of other sizes, channels last; each side for itself:
///   dst[y, x, c] = sum over taps i of y, then j of x, of weight(i) * weight(j) * src[i, j, c].
struct ResamplingProblem
{
    ResampledAxis height;
    ResampledAxis width;
    std::int64_t srcWidth = 0;
    std::int64_t channels = 0;
};

/// A row of a matrix is one picture, pixel after pixel. Sums in double, in the order of the taps,
/// one picture on one thread. The gradient is the same with the adjoints of both sides.
struct ResamplingKernels
{
    void (*run)(const ResamplingProblem&, ThreadPool&, ConstMatrixView src,
                MatrixView dst) = nullptr;
};

using ResamplingImplementation = Implementation<ResamplingProblem, ResamplingKernels>;
std::span<const ResamplingImplementation> resamplingImplementations();
const ResamplingKernels& resamplingKernels(const ResamplingProblem& problem);

namespace cpu {
extern const ResamplingKernels kResampling;
}
namespace reference {
extern const ResamplingKernels kResampling;
}

} // namespace cannery::kernels
