// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <vector>

namespace cannery::tests {

/// Where our output holds those of Keras: by output, by number; kNowhere if it does not.
using OutputPlaces = std::vector<std::vector<std::int64_t>>;
inline constexpr std::int64_t kNowhere = -1;
/// A number that nothing is known of because it is a constant: the state of a row without steps.
inline constexpr std::int64_t kConstant = -2;

/// Of a case of a recurrent class with its masks in "input_masks"; the state of a direction is its
/// output at the last step that it computes. The first output of other classes is ours; theirs
/// behind it (scores of attention) are not.
OutputPlaces outputPlacesOf(const nlohmann::json& layerCase);

} // namespace cannery::tests
