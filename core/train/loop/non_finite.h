// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/plan/model.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cannery::train {

/// A tensor with non-finite values.
struct NonFinite
{
    std::string name; ///< a feature column, "label", "weight", or as in the checkpoint
    std::int64_t nans = 0;
    std::int64_t infinities = 0;
    std::int64_t values = 0; ///< total number

    bool operator==(const NonFinite&) const = default;
};

/// The first one, in an order that depends only on the model: the inputs of a step (the columns in
/// layout order, the labels, the weights of the rows), then the floats of the state in its order.
/// For a loss that has become NaN: reads everything once.
std::optional<NonFinite> firstNonFinite(const features::EncodedRows& rows,
                                        const features::InputLayout& layout,
                                        std::span<const plan::StateTensor> state);

/// "dnn/logits/kernel (NaN in 3, infinite in 0 of 8 values)".
std::string describe(const NonFinite& tensor);

} // namespace cannery::train
