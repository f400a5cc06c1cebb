// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cannery::tests {

/// A room (a folder and those in it that are no rooms) and the rooms that it includes.
struct LayeringRow
{
    std::string room;
    std::vector<std::string> mayInclude; ///< rooms of rows before this one
};

/// Who includes whom, from the bottom up, exactly: checked by tst_layering, and drawn in
/// resources/help/architecture.svg.
const std::vector<LayeringRow>& layeringTable();

} // namespace cannery::tests
