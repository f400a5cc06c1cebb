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

struct LossRow
{
    LossKind key;
    std::string_view name;
    kernels::Loss kernel;
    LossCount count;
};

/// Every loss.
std::span<const LossRow> lossCatalog();

} // namespace cannery::losses
