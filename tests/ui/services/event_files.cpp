// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/services/event_files.h"

#include "storage/io/files.h"
#include "storage/tf/events/event_reader.h"
#include "storage/tf/events/event_writer.h"

#include <cmath>

namespace cannery::tests {

using namespace storage;

float loggedValue(std::int64_t step, std::size_t tag)
{
    return static_cast<float>(tag) + std::sin(static_cast<float>(step) / 100.0F);
}

std::string writeEvents(const std::string& folder, int second, const std::vector<std::string>& tags,
                        std::int64_t firstStep, std::int64_t count, bool beginsSession)
{
    double time = second;
    auto writer = EventWriter::create(
        folder, {.hostName = "host", .clock = [&time] { return time += 0.25; }});
    if (beginsSession) {
        static_cast<void>(writer->writeSessionLog(firstStep, SessionStatus::Start));
    }
    SummaryBuilder summary;
    for (std::int64_t step = firstStep; step < firstStep + count; ++step) {
        summary.clear();
        for (std::size_t tag = 0; tag < tags.size(); ++tag) {
            summary.scalar(tags[tag], loggedValue(step, tag));
        }
        static_cast<void>(writer->writeSummary(step, summary));
    }
    static_cast<void>(writer->close());
    return writer->path();
}

void appendBytes(const std::string& path, std::string_view bytes)
{
    auto file = realFileSystem().openForAppend(path);
    static_cast<void>((*file)->append(bytes));
    static_cast<void>((*file)->close());
}

void writeBytes(const std::string& path, std::string_view bytes)
{
    auto file = realFileSystem().create(path);
    static_cast<void>((*file)->append(bytes));
    static_cast<void>((*file)->close());
}

std::vector<LoggedScalar> byReader(const std::string& folder, const std::string& tag)
{
    std::vector<LoggedScalar> scalars;
    const auto paths = listEventFiles(folder);
    for (const std::string& path : *paths) {
        auto reader = EventReader::open(path);
        for (auto event = reader->next(); event && *event; event = reader->next()) {
            for (const EventValue& value : (*event)->values) {
                const auto* number = std::get_if<float>(&value.value);
                if (number != nullptr && value.tag == tag && std::isfinite(*number)) {
                    scalars.push_back({(*event)->step, *number});
                }
            }
        }
    }
    return scalars;
}

std::vector<LoggedScalar> contentOf(const ui::Series& series)
{
    std::vector<LoggedScalar> scalars;
    const auto steps = series.steps();
    const auto values = series.values();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (std::isfinite(values[i])) {
            scalars.push_back({steps[i], values[i]});
        }
    }
    return scalars;
}

} // namespace cannery::tests
