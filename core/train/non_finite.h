// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/plan/model.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cannery::train {

/// A tensor with values that are no finite numbers.
struct NonFinite
{
    std::string name; ///< a feature column, "label", "weight", or as in the checkpoint
    std::int64_t nans = 0;
    std::int64_t infinities = 0;
    std::int64_t values = 0; ///< all of them

    bool operator==(const NonFinite&) const = default;
};

/// The first one, in an order that depends on nothing but the model: what goes into a step (the
/// columns as the layout has them, the labels, the weights of the rows), then floats of the state
/// in its order. For when a loss has become NaN: reads everything once.
std::optional<NonFinite> firstNonFinite(const features::EncodedRows& rows,
                                        const features::InputLayout& layout,
                                        std::span<const plan::StateTensor> state);

/// "dnn/logits/kernel (NaN in 3, infinite in 0 of 8 values)".
std::string describe(const NonFinite& tensor);

} // namespace cannery::train
