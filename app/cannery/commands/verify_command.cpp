// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/verify_command.h"

#include "app/cannery/console/read_only_note.h"
#include "core/base/counted.h"
#include "core/base/json_text.h"
#include "core/train/records/project_verification.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

struct Totals
{
    std::int64_t files = 0;
    std::int64_t withoutChecksum = 0;
    std::uint64_t bytes = 0;
    std::size_t damaged = 0;
};

Totals totalsOf(const std::vector<train::VerifiedPart>& parts)
{
    Totals totals;
    for (const train::VerifiedPart& part : parts) {
        totals.files += part.files;
        totals.withoutChecksum += part.withoutChecksum;
        totals.bytes += part.bytes;
        totals.damaged += part.damaged.size();
    }
    return totals;
}

Json jsonOf(const train::VerifiedPart& part)
{
    Json damaged = Json::array();
    for (const train::DamagedPart& one : part.damaged) {
        damaged.push_back(
            {{"path", one.path}, {"id", one.error.id}, {"sentence", one.error.message()}});
    }
    return {{"name", part.name},
            {"whole", part.damaged.empty()},
            {"files", part.files},
            {"bytes", part.bytes},
            {"without_checksum", part.withoutChecksum},
            {"damaged", std::move(damaged)}};
}

std::string reportJson(const std::vector<train::VerifiedPart>& parts)
{
    const Totals totals = totalsOf(parts);
    Json list = Json::array();
    for (const train::VerifiedPart& part : parts) {
        list.push_back(jsonOf(part));
    }
    return jsonText(Json({{"whole", totals.damaged == 0},
                          {"files", totals.files},
                          {"bytes", totals.bytes},
                          {"without_checksum", totals.withoutChecksum},
                          {"parts", std::move(list)}}),
                    2);
}

void report(const Console& console, const std::vector<train::VerifiedPart>& parts)
{
    for (const train::VerifiedPart& part : parts) {
        console.result(part.damaged.empty()
                           ? fmt::format("intact   {} ({})", part.name, counted(part.files, "file"))
                           : fmt::format("damaged  {}", part.name));
        for (const train::DamagedPart& one : part.damaged) {
            console.result(fmt::format("         {}: {}", one.path, one.error.message()));
        }
    }
    const Totals totals = totalsOf(parts);
    console.note(fmt::format("{} read, {} bytes; {} of them (logs, graphs) have no checksum",
                             counted(totals.files, "file"), totals.bytes, totals.withoutChecksum));
}

} // namespace

void VerifyCommand::declare(OptionSet& options)
{
    options.argument("PROJECT", m_project, "the project's folder (default: this folder)", false);
    options.flag("--json", m_json, "print one JSON object");
    declareProgress(options, m_progress);
}

ExitCode VerifyCommand::run(Console& console)
{
    console.setJsonProgress(m_progress == "json");
    const Result<std::vector<train::VerifiedPart>> parts = train::verifyProject(
        {.project = m_project, .progress = [&](double share, const std::string& name) {
             console.advance(share, "Reading " + name);
         }});
    console.clearProgress();
    if (!parts) {
        return reportFailure(console, parts.error());
    }
    noteIfReadOnly(console, m_project);
    if (m_json) {
        console.document(reportJson(*parts));
    } else {
        report(console, *parts);
    }
    return totalsOf(*parts).damaged == 0 ? ExitCode::Done : ExitCode::Failed;
}

} // namespace cannery::app
