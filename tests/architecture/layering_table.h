// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cannery::tests {

/// One group of rooms and the rooms it may include besides itself. The longest prefix decides.
struct LayeringRow
{
    std::string room;
    std::vector<std::string> mayInclude;
};

/// Who may know whom, from the ground up. What tst_layering holds the sources against, and what
/// resources/help/architecture.svg draws.
const std::vector<LayeringRow>& layeringTable();

} // namespace cannery::tests
