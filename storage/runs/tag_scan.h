// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/runs/run_record.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cannery::storage {

/// Collects last, least and greatest value of every scalar tag. NaN counts as a value but is
/// neither least nor greatest.
class TagCollector
{
public:
    void add(std::string_view folder, std::string_view tag, std::int64_t step, double value);
    /// Goes on from what an earlier session has collected.
    void seed(const TagStatistics& earlier);
    /// Sorted by folder, then tag.
    std::vector<TagStatistics> statistics() const;

private:
    std::map<std::pair<std::string, std::string>, TagStatistics, std::less<>> m_tags;
};

/// Reads every event file of a run: those in its folder and in its eval folders. Damaged tails are
/// read up to the damage.
Result<std::vector<TagStatistics>> scanTags(const std::string& runFolder);

} // namespace cannery::storage
