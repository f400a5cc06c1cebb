// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/check_command.h"

#include "app/cannery/console/remark_notes.h"
#include "app/cannery/input/experiment_input.h"
#include "core/base/catalog.h"
#include "core/base/json_text.h"
#include "core/estimators/estimator_catalog.h"
#include "core/spec/experiment_file.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/text/text_format.h"
#include "core/train/preparation/dataset_loader.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

/// What the workbench shows of an experiment.
Json factsOf(const spec::Experiment& experiment)
{
    // Null without an estimator: experiments are checked while they are being written.
    const auto* estimator =
        findRow(estimators::estimatorCatalog(), experiment.estimator().kind_case());
    Json facts{{"name", experiment.name()},
               {"estimator", estimator == nullptr ? "" : std::string(estimator->name)},
               {"feature_columns", experiment.feature_column_size()},
               {"batch_size", experiment.train_spec().input().batch_size()},
               {"has_evaluation", train::hasEvalData(experiment)}};
    if (experiment.train_spec().has_max_steps()) {
        facts["max_steps"] = experiment.train_spec().max_steps();
    }
    return facts;
}

} // namespace

void CheckCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_file, "an experiment file");
    options.option("--set", "PATH=VALUE", m_overrides, "override a field (repeatable)");
    options.flag("--resolved", m_resolved, "print the experiment with every default filled in");
    options.flag("--json", m_json, "print one JSON object");
}

ExitCode CheckCommand::run(Console& console)
{
    const ExperimentReport report = checkExperimentAndData(m_file, m_overrides);
    if (m_json) {
        const Json json{{"file", m_file},
                        {"problems", Json::parse(problemsJson(report.problems, m_file))},
                        {"remarks", Json::parse(survey::remarksJson(report.remarks))},
                        {"facts", factsOf(report.experiment)}};
        console.document(jsonText(json, 2));
    } else {
        for (const std::string& line : problemLines(report.problems, m_file)) {
            console.result(line);
        }
        printRemarks(report.remarks, console);
    }
    if (spec::hasErrors(report.problems)) {
        return ExitCode::ExperimentOrData;
    }
    if (m_resolved) {
        console.content(spec::printExperiment(spec::resolve(report.experiment)));
    } else if (!m_json) {
        console.note(fmt::format("{}: no errors", m_file));
    }
    return ExitCode::Done;
}

} // namespace cannery::app
