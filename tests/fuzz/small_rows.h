// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"

#include <array>
#include <string>

namespace cannery::tests {

/// Numbers, ids, a sequence of weighted ids and one of numbers, a label and a weight.
features::InputLayout smallLayout();
/// The slots of its sequences.
inline constexpr std::array kSmallSequences{2, 3};
/// Three rows of it.
features::EncodedRows smallRows();
/// The bytes of a file that contains them twice, to train and to evaluate on.
std::string smallRowFile();

} // namespace cannery::tests
