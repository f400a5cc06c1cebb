// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/check_command.h"

#include "app/cannery/console/remark_notes.h"
#include "app/cannery/input/experiment_input.h"
#include "core/base/catalog.h"
#include "core/estimators/estimator_catalog.h"
#include "core/reports/report_json.h"
#include "core/spec/experiment_file.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/text/text_format.h"
#include "core/train/preparation/dataset_loader.h"

#include <fmt/core.h>

namespace cannery::app {

namespace {

reports::CheckedFacts factsOf(const spec::Experiment& experiment)
{
    // Null without an estimator: experiments are checked while they are being written.
    const auto* estimator =
        findRow(estimators::estimatorCatalog(), experiment.estimator().kind_case());
    reports::CheckedFacts facts;
    facts.set_name(experiment.name());
    facts.set_estimator(estimator == nullptr ? "" : std::string(estimator->name));
    facts.set_feature_columns(experiment.feature_column_size());
    facts.set_batch_size(experiment.train_spec().input().batch_size());
    facts.set_has_evaluation(train::hasEvalData(experiment));
    if (experiment.train_spec().has_max_steps()) {
        facts.set_max_steps(experiment.train_spec().max_steps());
    }
    return facts;
}

reports::Check checkReport(const ExperimentReport& report, const std::string& file)
{
    reports::Check answer;
    answer.set_file(file);
    *answer.mutable_problems() = problemsReport(report.problems, file).problems();
    *answer.mutable_remarks() = survey::remarksReport(report.remarks).remarks();
    *answer.mutable_facts() = factsOf(report.experiment);
    return answer;
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
        console.document(reports::reportJson(checkReport(report, m_file), 2));
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
