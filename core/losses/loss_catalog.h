// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/losses/loss.h"

#include <span>
#include <string_view>

namespace cannery::losses {

/// The number of losses of a row of `width` logits.
enum class LossCount
{
    PerLogit,
    PerRow,     ///< the kernel returns one per row
    MeanPerRow, ///< the kernel returns one per logit, the loss is their mean
};

/// The second derivatives of a row's loss by each of its logits alone: `second` has a number for
/// each logit, before the call what the derivative is multiplied by (of a loss per row, the same
/// number for all). Of a loss per logit, any number of logits.
using SecondDerivatives = void (*)(std::span<const float> logits, std::span<float> second);
/// A row's Hessian: `hessian` has a number for each pair of its logits, row by row, not multiplied.
using Hessian = void (*)(std::span<const float> logits, std::span<float> hessian);

struct LossRow
{
    LossKind key;
    std::string_view name;
    kernels::Loss kernel;
    LossCount count;
    SecondDerivatives secondDerivatives;
    Hessian hessian = nullptr; ///< null if each logit has a loss of its own, the others are 0
};

/// Every loss.
std::span<const LossRow> lossCatalog();

} // namespace cannery::losses
