// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/tag_scan.h"

#include "storage/io/files.h"
#include "storage/tf/events/event_reader.h"

#include <cmath>

namespace cannery::storage {
namespace {

Result<void> scanFolder(const std::string& folder, std::string_view name, TagCollector& collector)
{
    CANNERY_TRY_ASSIGN(const std::vector<std::string> files, listEventFiles(folder));
    for (const std::string& file : files) {
        CANNERY_TRY_ASSIGN(EventReader reader, EventReader::open(file));
        while (true) {
            Result<std::optional<Event>> event = reader.next();
            if (!event || !*event) {
                break; // the end, or damage: everything before it is valid
            }
            for (const EventValue& value : (*event)->values) {
                if (const float* scalar = std::get_if<float>(&value.value)) {
                    collector.add(name, value.tag, (*event)->step, static_cast<double>(*scalar));
                }
            }
        }
    }
    return {};
}

} // namespace

void TagCollector::add(std::string_view folder, std::string_view tag, std::int64_t step,
                       double value)
{
    TagStatistics& entry = m_tags[{std::string(folder), std::string(tag)}];
    if (entry.count == 0) {
        entry = {.folder = std::string(folder),
                 .tag = std::string(tag),
                 .min = value,
                 .minStep = step,
                 .max = value,
                 .maxStep = step};
    }
    ++entry.count;
    entry.last = value;
    entry.lastStep = step;
    // The first number replaces a NaN, which is smaller than nothing.
    if (value < entry.min || std::isnan(entry.min)) {
        entry.min = value;
        entry.minStep = step;
    }
    if (value > entry.max || std::isnan(entry.max)) {
        entry.max = value;
        entry.maxStep = step;
    }
}

void TagCollector::seed(const TagStatistics& earlier)
{
    m_tags[{earlier.folder, earlier.tag}] = earlier;
}

std::vector<TagStatistics> TagCollector::statistics() const
{
    std::vector<TagStatistics> all;
    all.reserve(m_tags.size());
    for (const auto& [key, entry] : m_tags) {
        all.push_back(entry);
    }
    return all;
}

Result<std::vector<TagStatistics>> scanTags(const std::string& runFolder)
{
    TagCollector collector;
    CANNERY_TRY(scanFolder(runFolder, "", collector));
    CANNERY_TRY_ASSIGN(const std::vector<std::string> names, listFolder(runFolder));
    for (const std::string& name : names) {
        const std::string folder = joinPath(runFolder, name);
        // As tf.estimator names the folder of an evaluation: "eval", or "eval_" and its name.
        if ((name == "eval" || name.starts_with("eval_")) && isFolder(folder)) {
            CANNERY_TRY(scanFolder(folder, name, collector));
        }
    }
    return collector.statistics();
}

} // namespace cannery::storage
