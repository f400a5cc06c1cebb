// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

#include <cstdint>
#include <span>

namespace cannery::kernels {

/// The numbers of step t of Adafactor (Shazeer and Stern 2018) as tf.keras.optimizers has it.
struct FactoredUpdate
{
    float rate = 0.001F;     ///< min(learning rate, 1 / sqrt t)
    float share = 0.0F;      ///< of earlier squares in the means: 1 - t^beta_2_decay
    float epsilon1 = 1e-30F; ///< added to squared gradients
    float epsilon2 = 0.001F; ///< the least root mean square of weights that a step is relative to
    float clipThreshold = 1.0F;
};

/// A whole variable: `matrices` of rows x cols, one after the other, with the means of squares of
/// their rows and columns. A variable of less than two dimensions is one row, and `ofRows` and
/// `ofColumns` are empty. `gradient` has its gradient, and afterwards what the step was made of.
struct FactoredVariable
{
    std::int64_t matrices = 1;
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    std::span<float> weights;
    std::span<float> ofRows;    ///< r: a number for each row
    std::span<float> ofColumns; ///< c: a number for each column of each matrix
    std::span<float> squares;   ///< v, as large as the weights
    std::span<float> gradient;
};

struct FactoredStepProblem
{};

struct FactoredStepKernels
{
    /// q = g^2 + epsilon1; r and c = share old + (1 - share) mean of q over a row, a column;
    /// v = r / mean(r) c, or of one row v = share v + (1 - share) q;
    /// u = g / sqrt v, w -= rate max(epsilon2, rms w) u / max(1, rms(u) / clipThreshold).
    void (*step)(ThreadPool&, const FactoredUpdate&, const FactoredVariable&) = nullptr;
};

using FactoredStepImplementation = Implementation<FactoredStepProblem, FactoredStepKernels>;
std::span<const FactoredStepImplementation> factoredStepImplementations();
const FactoredStepKernels& factoredStepKernels(const FactoredStepProblem& problem = {});

namespace cpu {
extern const FactoredStepKernels kFactoredStep;
}
namespace reference {
extern const FactoredStepKernels kFactoredStep;
}

} // namespace cannery::kernels
