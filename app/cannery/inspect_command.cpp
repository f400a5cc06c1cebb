// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/inspect_command.h"

#include "app/cannery/inspection.h"
#include "storage/tf/event_reader.h"

#include <limits>

namespace cannery::app {

namespace {

constexpr std::int64_t kDefaultRecords = 5;

} // namespace

void InspectCommand::declare(OptionSet& options)
{
    options.argument("PATH", m_path, "a checkpoint, event file, SavedModel or TFRecord file");
    options.option("--records", "N", m_records,
                   "how many records to show, or events to read (default: 5, all events)");
    options.flag("--json", m_json, "print one JSON object");
}

ExitCode InspectCommand::run(Console& console)
{
    const bool isEvents = storage::isEventFile(m_path);
    const std::int64_t records =
        m_records.value_or(isEvents ? std::numeric_limits<std::int64_t>::max() : kDefaultRecords);
    const Result<Inspection> found = inspect(m_path, records);
    if (!found) {
        return reportFailure(console, found.error());
    }
    if (m_json) {
        console.document(found->json);
        return ExitCode::Done;
    }
    for (const std::string& line : found->lines) {
        console.result(line);
    }
    return ExitCode::Done;
}

} // namespace cannery::app
