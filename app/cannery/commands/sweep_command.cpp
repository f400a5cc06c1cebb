// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/sweep_command.h"

#include "app/cannery/input/experiment_input.h"
#include "app/cannery/reports/sweep_note.h"
#include "app/cannery/reports/sweep_report.h"
#include "core/launch/stop_signals.h"
#include "core/launch/sweep_runner.h"
#include "core/sweep/search_catalog.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>

namespace cannery::app {

namespace {

using SweepEnd = tl::expected<ExitCode, Error>;

SweepEnd planOnly(const Console& console, const spec::Experiment& experiment, sweep::Search& search,
                  const std::string& folder, bool json)
{
    // Without results: what can be decided before any training.
    search.advance({});
    CANNERY_TRY(launch::checkJobs(experiment, search, folder));
    if (json) {
        console.document(plannedJson(search));
        return ExitCode::Done;
    }
    for (const std::string& line : plannedLines(search)) {
        console.result(line);
    }
    return ExitCode::Done;
}

SweepEnd trainAll(Console& console, const launch::SweepRequest& request, sweep::Search& search,
                  const launch::StopSignals& signals, bool json)
{
    CANNERY_TRY_ASSIGN(const launch::SweepOutcome outcome, launch::runSweep(request, search));
    if (json) {
        console.document(sweepJson(outcome, request));
    } else {
        for (const std::string& line : sweepLines(outcome, request)) {
            console.result(line);
        }
    }
    if (signals.signal() == 0) {
        return ExitCode::Done;
    }
    console.note("Stopped; the same command goes on with what is missing.");
    return signals.exitCode();
}

} // namespace

void SweepCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_file, "an experiment file with a sweep");
    options.option("--set", "PATH=VALUE", m_overrides, "override a field (repeatable)");
    options.flag("--dry-run", m_isDryRun, "show the runs that would be trained, and train none");
    declareProgress(options, m_progress);
    options.flag("--quiet", m_quiet, "print errors and warnings only");
    options.flag("--json", m_json, "print one JSON object");
}

ExitCode SweepCommand::run(Console& console)
{
    console.setQuiet(m_quiet);
    console.setJsonProgress(m_progress == "json");
    const std::filesystem::path file = std::filesystem::absolute(m_file).lexically_normal();
    const auto input = readTrainableExperiment(console, file, m_overrides);
    if (!input) {
        return input.error();
    }
    const Result<std::unique_ptr<sweep::Search>> search = sweep::makeSearch(input->experiment);
    if (!search) {
        return reportFailure(console, search.error());
    }
    if (m_isDryRun) {
        const SweepEnd end =
            planOnly(console, input->experiment, **search, file.parent_path().string(), m_json);
        return end ? *end : reportFailure(console, end.error());
    }
    // From here on, lines of progress may be dropped for a reader that is too slow.
    console.setMayDropLines();
    const launch::StopSignals signals;
    std::optional<SweepNote> note;
    if (m_progress != "json") { // the window that reads that writes its own
        note.emplace(file.string(), m_overrides);
    }
    const launch::SweepRequest request{
        .experimentFile = file.string(),
        .experiment = input->experiment,
        .stop = signals.flag(),
        .ended = [&](const launch::TrialResult& result, double share) {
            const std::string line = trialLine(result, input->experiment.sweep());
            console.clearProgress();
            console.note(line);
            console.advance(share, line);
            if (note) {
                note->advance(share, line);
            }
        }};
    const SweepEnd end = trainAll(console, request, **search, signals, m_json);
    return end ? *end : reportFailure(console, end.error());
}

} // namespace cannery::app
