// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/inspection.h"
#include "core/base/counted.h"
#include "core/base/json_text.h"
#include "core/base/text_table.h"
#include "storage/io/files.h"
#include "storage/tf/events/event_reader.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

/// Folders below a folder of event files: train, validation, eval/..., a project of runs.
constexpr int kDeepest = 8;
constexpr std::size_t kMostFiles = 10'000;
/// With more, the file is of another kind.
constexpr std::size_t kMostDamages = 20;

/// Last, smallest and largest value of a tag.
struct TagSummary
{
    std::int64_t count = 0;
    std::int64_t lastStep = 0;
    std::string kind;
    float last = 0;
    float min = 0;
    float max = 0;

    void add(const storage::EventValue& value, std::int64_t step)
    {
        const float* scalar = std::get_if<float>(&value.value);
        if (scalar != nullptr) {
            // A NaN is neither: std::fmin() takes the other one.
            min = count == 0 ? *scalar : std::fmin(min, *scalar);
            max = count == 0 ? *scalar : std::fmax(max, *scalar);
            last = *scalar;
        }
        kind = scalar != nullptr                                              ? "scalar"
               : std::holds_alternative<storage::EventHistogram>(value.value) ? "histogram"
               : std::holds_alternative<storage::HostTensor>(value.value)     ? "tensor"
               : std::holds_alternative<storage::EventBlob>(value.value)      ? "image or audio"
                                                                              : "other";
        ++count;
        lastStep = step;
    }
};

/// One event file.
struct EventSection
{
    std::string path;
    std::map<std::string, TagSummary> tags;
    std::int64_t events = 0;
    bool hasGraph = false;
    bool isIncomplete = false; ///< its last record
    std::vector<std::string> damages;
};

void see(const storage::Event& event, EventSection& section)
{
    ++section.events;
    section.hasGraph = section.hasGraph || event.kind == storage::Event::Kind::Graph;
    for (const storage::EventValue& value : event.values) {
        section.tags[value.tag].add(value, event.step);
    }
}

/// Errors: a file that cannot be opened.
Result<EventSection> readSection(const std::string& file, std::int64_t records)
{
    CANNERY_TRY_ASSIGN(storage::EventReader reader, storage::EventReader::open(file));
    EventSection section{.path = file};
    while (section.events < records) {
        const Result<std::optional<storage::Event>> event = reader.next();
        if (event && !*event) {
            break;
        }
        if (event) {
            see(**event, section);
            continue;
        }
        section.damages.push_back(event.error().message());
        // Behind damage the next record may be found. Any other error comes back with each try.
        const bool mayGoOn =
            event.error().code == ErrorCode::DataLoss && section.damages.size() < kMostDamages;
        if (!mayGoOn || !reader.skipDamage().value_or(false)) {
            break;
        }
    }
    section.isIncomplete = reader.hasPartialRecord();
    return section;
}

Json toJson(const EventSection& section)
{
    Json tags = Json::array();
    for (const auto& [tag, summary] : section.tags) {
        Json entry{{"tag", tag},
                   {"kind", summary.kind},
                   {"count", summary.count},
                   {"last_step", summary.lastStep}};
        if (summary.kind == "scalar") {
            entry.update({{"last", summary.last}, {"min", summary.min}, {"max", summary.max}});
        }
        tags.push_back(std::move(entry));
    }
    Json json{{"kind", "events"},
              {"path", section.path},
              {"events", section.events},
              {"graph", section.hasGraph},
              {"tags", std::move(tags)}};
    if (!section.damages.empty()) {
        json["damages"] = section.damages;
    }
    return json;
}

void addLines(const EventSection& section, std::vector<std::string>& lines)
{
    lines.push_back(fmt::format("Event file {}: {}{}{}{}", section.path,
                                counted(section.events, "event"),
                                section.hasGraph ? ", with a graph" : "",
                                section.isIncomplete ? ", the last record is incomplete" : "",
                                section.damages.empty() ? "" : ", damaged"));
    std::vector<std::vector<std::string>> rows;
    for (const auto& [tag, summary] : section.tags) {
        const bool isScalar = summary.kind == "scalar";
        const auto number = [&](float value) {
            return isScalar ? fmt::format("{:.6g}", value) : std::string();
        };
        rows.push_back({tag, summary.kind, std::to_string(summary.count),
                        std::to_string(summary.lastStep), number(summary.last), number(summary.min),
                        number(summary.max)});
    }
    for (std::string& line :
         alignedTable({"tag", "kind", "count", "last step", "last", "min", "max"}, rows)) {
        lines.push_back("  " + std::move(line));
    }
    for (const std::string& sentence : section.damages) {
        lines.push_back("  " + sentence);
    }
}

void findEventFiles(const std::string& folder, int depth, std::vector<std::string>& found)
{
    const Result<std::vector<std::string>> names = storage::listFolder(folder);
    for (const std::string& name : names.value_or(std::vector<std::string>())) {
        const std::string path = storage::joinPath(folder, name);
        if (found.size() >= kMostFiles) {
            return;
        }
        if (storage::isFolder(path)) {
            if (depth < kDeepest) {
                findEventFiles(path, depth + 1, found);
            }
        } else if (storage::isEventFile(name)) {
            found.push_back(path);
        }
    }
}

} // namespace

std::vector<std::string> eventFilesBelow(const std::string& folder)
{
    std::vector<std::string> found;
    findEventFiles(folder, 0, found);
    return found;
}

Result<Inspection> inspectEvents(const std::string& file, std::int64_t records)
{
    CANNERY_TRY_ASSIGN(const EventSection section, readSection(file, records));
    Inspection result{.json = jsonText(toJson(section), 2), .damages = section.damages};
    addLines(section, result.lines);
    return result;
}

Result<Inspection> inspectEventFolder(const std::string& folder,
                                      const std::vector<std::string>& files, std::int64_t records)
{
    Inspection result;
    Json sections = Json::array();
    std::int64_t events = 0;
    for (const std::string& file : files) {
        CANNERY_TRY_ASSIGN(const EventSection section, readSection(file, records));
        events += section.events;
        sections.push_back(toJson(section));
        addLines(section, result.lines);
        result.damages.insert(result.damages.end(), section.damages.begin(), section.damages.end());
    }
    if (files.size() > 1) {
        result.lines.insert(
            result.lines.begin(),
            fmt::format("Folder {}: {} in {}", folder, counted(events, "event"),
                        counted(static_cast<std::int64_t>(files.size()), "event file")));
    }
    result.json = jsonText(Json({{"kind", "event_files"},
                                 {"path", folder},
                                 {"events", events},
                                 {"files", std::move(sections)}}),
                           2);
    return result;
}

} // namespace cannery::app
