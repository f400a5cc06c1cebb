// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/diff_command.h"

#include "app/cannery/input/experiment_input.h"
#include "core/base/json_text.h"
#include "core/spec/spec_diff.h"
#include "core/spec/spec_resolver.h"

#include <nlohmann/json.hpp>

namespace cannery::app {

namespace {

tl::expected<spec::Experiment, ExitCode> readForDiff(const Console& console,
                                                     const std::string& file, bool resolved)
{
    const Result<spec::ParsedExperiment> parsed = loadExperimentFile(file);
    if (!parsed) {
        return tl::make_unexpected(reportFailure(console, parsed.error()));
    }
    for (const std::string& line : problemLines(parsed->problems, file)) {
        console.diagnostic(line);
    }
    if (spec::hasErrors(parsed->problems)) {
        return tl::make_unexpected(ExitCode::ExperimentOrData);
    }
    return resolved ? spec::resolve(parsed->experiment) : parsed->experiment;
}

} // namespace

void DiffCommand::declare(OptionSet& options)
{
    options.argument("A", m_first, "an experiment file");
    options.argument("B", m_second, "another experiment file");
    options.flag("--resolved", m_resolved, "compare with every default filled in");
    options.flag("--json", m_json, "print one JSON object");
}

ExitCode DiffCommand::run(Console& console)
{
    const auto first = readForDiff(console, m_first, m_resolved);
    if (!first) {
        return first.error();
    }
    const auto second = readForDiff(console, m_second, m_resolved);
    if (!second) {
        return second.error();
    }
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const spec::FieldDifference& difference : spec::diff(*first, *second)) {
        if (m_json) {
            list.push_back({{"path", difference.path},
                            {"before", difference.before},
                            {"after", difference.after}});
        } else {
            console.result(spec::render(difference));
        }
    }
    if (m_json) {
        console.document(jsonText(nlohmann::ordered_json({{"differences", list}}), 2));
    }
    return ExitCode::Done;
}

} // namespace cannery::app
