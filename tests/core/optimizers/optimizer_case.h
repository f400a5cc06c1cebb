// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"
#include "tests/golden/tables/golden_table.h"

#include <array>
#include <vector>

namespace cannery::tests {

/// The cases of TensorFlow's optimizers in the goldens that Cannery has too; the decay of moving
/// averages is among the `arguments`.
std::vector<QJsonObject> optimizerCases();

/// An optimizer by the name of its class in TensorFlow, or of its field in the schema.
Result<std::unique_ptr<optimizers::Optimizer>> optimizerOf(const QString& className,
                                                           QJsonObject arguments);

/// A variable with its slots.
struct OptimizerState
{
    std::int64_t width = 1; ///< of a row
    std::vector<float> weights;
    std::array<std::vector<float>, 4> slots;
    kernels::OptimizerSlots views() { return {slots[0], slots[1], slots[2]}; }
    void average(kernels::ThreadPool& pool, const optimizers::Optimizer& optimizer)
    {
        if (optimizer.keepsAverages()) {
            optimizer.average(pool, weights, slots[optimizer.slots().size() - 1]);
        }
    }
};

OptimizerState initialState(const optimizers::Optimizer& optimizer, std::int64_t width,
                            std::vector<float> weights);

} // namespace cannery::tests
