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

/// Collects the last, minimum and maximum value of every scalar tag. NaN counts as a value but is
/// neither minimum nor maximum.
class TagCollector
{
public:
    void add(std::string_view folder, std::string_view tag, std::int64_t step, double value);
    /// Continues from the statistics of an earlier session.
    void seed(const TagStatistics& earlier);
    /// Sorted by folder, then tag.
    std::vector<TagStatistics> statistics() const;

private:
    std::map<std::pair<std::string, std::string>, TagStatistics, std::less<>> m_tags;
};

/// Reads every event file of a run: those in its folder and in its eval folders. Files with damaged
/// ends are read up to the damage.
Result<std::vector<TagStatistics>> scanTags(const std::string& runFolder);

} // namespace cannery::storage
