// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/input/engine_request.h"

#include "app/cannery/console/command.h"
#include "app/cannery/input/model_input.h"
#include "core/base/json_text.h"
#include "storage/io/files.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

Result<std::string> ask(const EngineChoice& choice, const EngineRequest& request)
{
    CANNERY_TRY_ASSIGN(const std::string found, findRunFolder(choice.run, choice.project));
    CANNERY_TRY_ASSIGN(control::ControlClient client, control::ControlClient::connect(found));
    CANNERY_TRY((client.*request.ask)());
    std::error_code failure;
    return std::filesystem::canonical(found, failure).string();
}

} // namespace

void EngineChoice::declare(OptionSet& options)
{
    options.argument("RUN", run, "a run: its name, title, folder or 'latest'");
    options.option("--project", "DIR", project, "the run's project (default: this folder)");
    options.flag("--json", json, "print one JSON object");
}

ExitCode askEngine(Console& console, const EngineChoice& choice, const EngineRequest& request)
{
    const Result<std::string> folder = ask(choice, request);
    if (!folder) {
        return reportFailure(console, folder.error());
    }
    const std::string run = storage::baseName(*folder);
    if (choice.json) {
        console.result(jsonText(Json{{"run", run}, {"folder", *folder}, {"asked", request.asked}}));
    } else {
        console.note(fmt::format(fmt::runtime(request.sentence), run));
    }
    return ExitCode::Done;
}

} // namespace cannery::app
