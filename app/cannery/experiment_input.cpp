#include "app/cannery/experiment_input.h"

#include "app/cannery/json_output.h"
#include "core/data/dataset.h"
#include "core/spec/experiment_file.h"
#include "core/spec/spec_override.h"
#include "core/spec/spec_path.h"
#include "core/spec/spec_validator.h"
#include "core/spec/syntax_lookup.h"
#include "core/train/dataset_loader.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace cannery::app {

namespace {

spec::Problem problemOf(Error error)
{
    std::string path = error.path;
    return {.fieldPath = std::move(path), .error = std::move(error)};
}

void applyOverrides(ExperimentReport& report, const std::vector<std::string>& overrides)
{
    for (const std::string& assignment : overrides) {
        if (Result<void> applied = spec::applyOverride(report.experiment, assignment); !applied) {
            report.problems.push_back(
                problemOf(std::move(applied).error().with("--set " + assignment)));
        }
    }
}

/// What ends the command, for a program; a person has read every problem already.
void reportFirstError(const Console& console, const std::vector<spec::Problem>& problems)
{
    if (!console.isJson()) {
        return;
    }
    const auto found = std::find_if(problems.begin(), problems.end(), [](const auto& problem) {
        return problem.severity == spec::Severity::Error;
    });
    Error first = found->error;
    if (first.path.empty()) {
        first.path = found->fieldPath;
    }
    console.result(errorJson(first));
}

/// The problems of the text, and of its names of columns when the table's are known.
ExperimentReport report(const std::filesystem::path& file,
                        const std::vector<std::string>& overrides,
                        std::optional<std::vector<std::string>> columns)
{
    ExperimentReport report{.file = file, .folder = file.parent_path()};
    Result<spec::ParsedExperiment> parsed = spec::loadExperiment(file);
    if (!parsed) {
        report.problems.push_back(problemOf(std::move(parsed).error()));
        return report;
    }
    spec::ValidationOptions options{.knownColumns = std::move(columns)};
    if (overrides.empty()) {
        spec::ParsedExperiment checked =
            spec::checkExperiment(std::move(parsed->tree.text), options);
        report.experiment = std::move(checked.experiment);
        report.problems = std::move(checked.problems);
        return report;
    }
    report.experiment = std::move(parsed->experiment);
    report.problems = std::move(parsed->problems);
    applyOverrides(report, overrides);
    if (!spec::hasErrors(report.problems)) {
        options.tree = &parsed->tree;
        report.problems = spec::validate(report.experiment, options);
    }
    return report;
}

/// Opens a part of the data; why it cannot be is a problem at its source.
std::optional<data::Dataset> openPart(const ExperimentReport& report, data::DataPart part,
                                      std::vector<spec::Problem>& problems)
{
    Result<data::Dataset> opened =
        data::Dataset::open(report.experiment.data(), report.folder.string(), part);
    if (opened) {
        return std::move(opened).value();
    }
    spec::Problem problem = problemOf(std::move(opened).error());
    if (problem.fieldPath.empty()) {
        problem.fieldPath = part == data::DataPart::Train ? "data.train" : "data.eval";
    }
    if (const Result<spec::ParsedExperiment> parsed = spec::loadExperiment(report.file)) {
        if (const Result<spec::SpecPath> path = spec::parsePath(problem.fieldPath)) {
            const spec::TextPlace place = spec::placeOf(parsed->tree, *path);
            problem.line = place.line;
            problem.column = place.column;
        }
    }
    problems.push_back(std::move(problem));
    return std::nullopt;
}

} // namespace

ExperimentReport checkExperimentFile(const std::filesystem::path& file,
                                     const std::vector<std::string>& overrides)
{
    return report(file, overrides, {});
}

ExperimentReport checkExperimentAndData(const std::filesystem::path& file,
                                        const std::vector<std::string>& overrides)
{
    ExperimentReport onText = checkExperimentFile(file, overrides);
    if (spec::hasErrors(onText.problems)) {
        return onText;
    }
    std::vector<spec::Problem> ofData;
    const auto train = openPart(onText, data::DataPart::Train, ofData);
    if (!train) {
        onText.problems.insert(onText.problems.end(), ofData.begin(), ofData.end());
        return onText;
    }
    ExperimentReport whole = report(file, overrides, train->schema().names());
    if (train::hasEvalData(whole.experiment)) {
        openPart(whole, data::DataPart::Eval, ofData);
    }
    whole.problems.insert(whole.problems.end(), ofData.begin(), ofData.end());
    return whole;
}

tl::expected<ExperimentReport, ExitCode> readExperiment(const Console& console,
                                                        const std::filesystem::path& file,
                                                        const std::vector<std::string>& overrides)
{
    ExperimentReport report = checkExperimentFile(file, overrides);
    for (const spec::Problem& problem : report.problems) {
        console.diagnostic(spec::render(problem, file.string()));
    }
    if (spec::hasErrors(report.problems)) {
        reportFirstError(console, report.problems);
        return tl::make_unexpected(ExitCode::ExperimentOrData);
    }
    return report;
}

std::string problemsJson(const std::vector<spec::Problem>& problems, const std::string& file)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const spec::Problem& problem : problems) {
        list.push_back({{"id", problem.error.id},
                        {"level", problem.severity == spec::Severity::Error ? "error" : "warning"},
                        {"file", file},
                        {"line", problem.line},
                        {"column", problem.column},
                        {"path", problem.fieldPath},
                        {"sentence", problem.error.message()},
                        {"arguments", problem.error.arguments}});
    }
    return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace cannery::app
