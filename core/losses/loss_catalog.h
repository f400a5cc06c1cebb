// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/losses/loss.h"

#include <span>
#include <string_view>

namespace cannery::losses {

/// How many losses a row of `width` logits has.
enum class LossCount
{
    PerLogit,
    PerRow,     ///< the kernel gives one per row
    MeanPerRow, ///< the kernel gives one per logit, the loss is their mean
};

struct LossRow
{
    LossKind key;
    std::string_view name;
    kernels::Loss kernel;
    LossCount count;
};

/// Every loss there is.
std::span<const LossRow> lossCatalog();

} // namespace cannery::losses
