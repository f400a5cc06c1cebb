// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"

#include <cstddef>
#include <optional>
#include <span>

namespace cannery::features {

/// A row whose sequences differ in their number of steps.
struct UnequalSteps
{
    std::size_t row = 0;
    int slot = 0; ///< a sequence that differs from the first one
};

/// Nothing if the sequences of each row have as many steps. `sequences`: their slots.
std::optional<UnequalSteps> findUnequalSteps(const InputLayout& layout,
                                             std::span<const int> sequences,
                                             const EncodedRows& rows);

} // namespace cannery::features
