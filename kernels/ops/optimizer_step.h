// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/math/keras_updates.h"
#include "kernels/math/optimizer_updates.h"
#include "kernels/ops/implementation_list.h"
#include "kernels/ops/sparse_gradient.h"

#include <atomic>
#include <cstdint>
#include <variant>

namespace cannery::kernels {

/// One step's rule with its numbers; see math/optimizer_updates.h and math/keras_updates.h for the
/// formulas.
using OptimizerUpdate =
    std::variant<SgdUpdate, AdagradUpdate, AdadeltaUpdate, AdamUpdate, AdamWUpdate, AdamaxUpdate,
                 NadamUpdate, RmsPropUpdate, FtrlUpdate, ProximalGradientDescentUpdate,
                 ProximalAdagradUpdate, KerasMomentumUpdate, KerasAdagradUpdate,
                 KerasAdadeltaUpdate, KerasAdamaxUpdate, KerasNadamUpdate, KerasRmsPropUpdate,
                 KerasFtrlUpdate, LionUpdate>;

/// Whether a gradient of some rows is one of all rows to the rule, with zeros in the others.
bool fillsWithZeros(const OptimizerUpdate& update);

/// Whether a sparse step of the rule also changes the rows that have no gradient.
inline bool movesEveryRow(const OptimizerUpdate& update)
{
    const auto* rms = std::get_if<RmsPropUpdate>(&update);
    return std::holds_alternative<AdamUpdate>(update) ||
           std::holds_alternative<AdamWUpdate>(update) ||
           std::holds_alternative<NadamUpdate>(update) || (rms != nullptr && rms->momentum == 0) ||
           fillsWithZeros(update);
}

/// Slot values per weight, laid out as the weights are, in the order of the rule's kSlots; unused
/// ones are empty.
struct OptimizerSlots
{
    std::span<float> first;
    std::span<float> second;
    std::span<float> third;
};

/// How many weights of a variable are 0, if tracked.
using ZeroCount = std::atomic<std::int64_t>;

struct OptimizerStepProblem
{
    OptimizerUpdate update;
};

struct OptimizerStepKernels
{
    /// One step of every weight.
    void (*dense)(ThreadPool&, const OptimizerUpdate&, std::span<float> weights,
                  const OptimizerSlots&, std::span<const float> grad) = nullptr;
    /// One step with a gradient of some rows, as the optimizers of TensorFlow treat IndexedSlices:
    /// only those rows change, except that Adam (AMSGrad and AdamW too) decays the moments of, and
    /// updates, every row, and that Nadam and RMSprop without momentum decay the moments of every
    /// row. To the rules of fillsWithZeros() it is one of all rows. `weights` is contiguous, unless
    /// the rule leaves other rows alone: then its rows, and those of the slots, may be further
    /// apart. `zeros` may be null; otherwise, unless movesEveryRow(), it is updated by the change
    /// in the number of zero weights.
    void (*sparse)(ThreadPool&, const OptimizerUpdate&, MatrixView weights, const OptimizerSlots&,
                   const SparseGradient& grad, ZeroCount* zeros) = nullptr;
    /// averages -= (averages - weights) rate, of equal sizes, as tf.train.ExponentialMovingAverage
    /// with rate = 1 - decay.
    void (*average)(ThreadPool&, std::span<const float> weights, std::span<float> averages,
                    float rate) = nullptr;
    /// weights -= weights share rate: the weight decay of tf.keras.optimizers.
    void (*decay)(ThreadPool&, std::span<float> weights, float share, float rate) = nullptr;
};

using OptimizerStepImplementation = Implementation<OptimizerStepProblem, OptimizerStepKernels>;
std::span<const OptimizerStepImplementation> optimizerStepImplementations();
const OptimizerStepKernels& optimizerStepKernels(const OptimizerStepProblem& problem);

namespace cpu {
extern const OptimizerStepKernels kOptimizerStep;
}
namespace reference {
extern const OptimizerStepKernels kOptimizerStep;
}

} // namespace cannery::kernels
