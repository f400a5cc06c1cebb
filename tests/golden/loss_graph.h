// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/losses/loss.h"
#include "kernels/ops/row_loss.h"

#include <cstdint>
#include <vector>

namespace cannery::tests {

/// A batch as RowLosses::run() takes it.
struct LossGraphInputs
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::vector<float> outputs;
    std::vector<float> labels;
    std::vector<float> weights; ///< empty: all 1
};

struct LossGraphResult
{
    std::vector<float> losses; ///< of the rows, before weighting
    float loss = 0.0F;
    std::vector<float> gradient;
};

/// The same loss by the nodes that an export has of it.
Result<LossGraphResult> runLossGraph(const kernels::RowLossRule& rule, losses::Reduction reduction,
                                     const LossGraphInputs& inputs);

} // namespace cannery::tests
