// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/math/losses.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

struct LossProblem
{
    Loss loss = Loss::SigmoidCrossEntropy;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
};

/// logits, labels, losses and logitsGrad of an elementwise loss have equal shapes. The softmax loss
/// takes one label, a class id, and gives one loss per row: labels and losses have one column.
struct LossArguments
{
    ConstMatrixView logits;
    ConstMatrixView labels;
    /// rows x 1 (for all columns of the row) or the shape of losses; an empty view (data null): all
    /// 1.
    ConstMatrixView weights;
    /// The factor of each weighted element's gradient: 1, 1 / elements, ...
    float gradientScale = 1.0F;
    MatrixView losses;     ///< per element, before weighting
    MatrixView logitsGrad; ///< gradientScale * weight * dloss/dlogit; an empty view: not computed
};

/// A class id outside [0, cols) or NaN gives a NaN loss and NaN gradients; heads check labels when
/// the data is read.
struct LossKernels
{
    void (*run)(ThreadPool&, Loss, const LossArguments&) = nullptr;
};

using LossImplementation = Implementation<LossProblem, LossKernels>;
std::span<const LossImplementation> lossImplementations();
const LossKernels& lossKernels(const LossProblem& problem);

namespace cpu {
extern const LossKernels kLoss;
}
namespace reference {
extern const LossKernels kLoss;
}

} // namespace cannery::kernels
