#include "app/cannery/check_command.h"

#include "app/cannery/experiment_input.h"
#include "core/spec/experiment_file.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/text_format.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace cannery::app {

void CheckCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_file, "an experiment file");
    options.option("--set", "PATH=VALUE", m_overrides, "override a field, as often as wanted");
    options.flag("--resolved", m_resolved, "print the experiment with every default filled in");
    options.flag("--json", m_json, "print one JSON object");
}

ExitCode CheckCommand::run(Console& console)
{
    const ExperimentReport report = checkExperimentFile(m_file, m_overrides);
    if (m_json) {
        console.result(nlohmann::ordered_json({{"file", m_file},
                                               {"problems", nlohmann::ordered_json::parse(
                                                                problemsJson(report.problems))}})
                           .dump(2));
    } else {
        for (const spec::Problem& problem : report.problems) {
            console.result(spec::render(problem, m_file));
        }
    }
    if (spec::hasErrors(report.problems)) {
        return ExitCode::ExperimentOrData;
    }
    if (m_resolved) {
        fmt::print(stdout, "{}", spec::printExperiment(spec::resolve(report.experiment)));
    } else if (!m_json) {
        console.note(fmt::format("{}: no errors", m_file));
    }
    return ExitCode::Done;
}

} // namespace cannery::app
