// SPDX-License-Identifier: Apache-2.0
#include "core/features/step_counts.h"

#include <algorithm>

namespace cannery::features {

std::optional<UnequalSteps>
findUnequalSteps(const InputLayout& layout, std::span<const int> sequences, const EncodedRows& rows)
{
    for (std::size_t i = 1; i < sequences.size(); ++i) {
        const auto& first = stepOffsetsOf(layout, sequences.front(), rows);
        const auto& other = stepOffsetsOf(layout, sequences[i], rows);
        const auto at = std::ranges::mismatch(first, other).in1;
        if (at != first.end()) {
            return UnequalSteps{.row = static_cast<std::size_t>(at - first.begin()) - 1,
                                .slot = sequences[i]};
        }
    }
    return std::nullopt;
}

} // namespace cannery::features
