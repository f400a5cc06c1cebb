// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"

#include <string>

namespace cannery::tests {

/// Numbers, ids and weighted ids, a label and a weight.
features::InputLayout smallLayout();
/// Three rows of it.
features::EncodedRows smallRows();
/// The bytes of a file that contains them twice, to train and to evaluate on.
std::string smallRowFile();

} // namespace cannery::tests
