// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cannery::survey {

/// Rows by their labels, few enough groups to give each a colour.
struct LabelGroups
{
    std::vector<std::string> names;
    std::vector<std::size_t> ofRow;
};

/// Most groups of labelGroups().
inline constexpr std::size_t kMostLabelGroups = 8;

/// One group per different text, the most frequent first, if they are few; otherwise quarters of
/// the rows if all are numbers, else the most frequent ones and "other". Rows without a label: a
/// last group without a name.
LabelGroups labelGroups(const std::vector<std::string>& labels);

} // namespace cannery::survey
