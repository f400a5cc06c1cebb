// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cannery {

/// A text table with aligned columns: those before `firstRight` left, the others right. Every row
/// has as many cells as `header`. The lines are printable().
std::vector<std::string> alignedTable(const std::vector<std::string>& header,
                                      const std::vector<std::vector<std::string>>& rows,
                                      std::size_t firstRight = 1);

} // namespace cannery
