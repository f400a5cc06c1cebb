// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cannery::tests {

/// One group of folders and the folders it may include besides itself. The longest prefix decides.
struct LayeringRow
{
    std::string room;
    std::vector<std::string> mayInclude;
};

/// Who may include whom, from the bottom up: checked by tst_layering, and drawn in
/// resources/help/architecture.svg.
const std::vector<LayeringRow>& layeringTable();

} // namespace cannery::tests
