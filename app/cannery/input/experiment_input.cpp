// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/input/experiment_input.h"

#include "app/cannery/input/experiment_or_table.h"
#include "core/base/error_json.h"
#include "core/data/dataset.h"
#include "core/spec/experiment_file.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text/spec_override.h"
#include "core/spec/text/spec_path.h"
#include "core/spec/text/syntax_lookup.h"
#include "core/survey/table_remarks.h"
#include "core/train/preparation/cell_faults.h"
#include "core/train/preparation/dataset_loader.h"
#include "core/train/preparation/normalizer_check.h"
#include "core/train/preparation/size_check.h"
#include "kernels/device/thread_pool.h"
#include "storage/runs/run_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace cannery::app {

namespace {

constexpr std::size_t kMostSyntaxLines = 10;

/// Whether a problem may be one of very many, in a text that is not an experiment at all.
bool isSyntaxProblem(const spec::Problem& problem)
{
    constexpr auto kOfSyntax = std::to_array<std::string_view>(
        {"spec.bad_character", "spec.bad_escape", "spec.bad_number", "spec.empty_element",
         "spec.expected_field", "spec.missing_colon", "spec.missing_comma", "spec.missing_value",
         "spec.text_not_closed", "spec.unclosed_brace", "spec.unclosed_list", "spec.unknown_field",
         "spec.unopened_brace", "spec.wrong_brace"});
    return std::find(kOfSyntax.begin(), kOfSyntax.end(), problem.error.id) != kOfSyntax.end();
}

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

/// The error that ends the command, for programs; users have seen every problem already.
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

/// Applies every --set and collects the problems of the text and, if the table's columns are known,
/// of their names.
void validateReport(ExperimentReport& report, const std::vector<std::string>& overrides,
                    std::optional<std::vector<std::string>> columns)
{
    spec::ValidationOptions options{.knownColumns = std::move(columns)};
    report.experiment = report.parsed.experiment;
    if (overrides.empty()) {
        report.problems = spec::checkParsed(report.parsed, options);
        return;
    }
    report.problems = report.parsed.problems;
    applyOverrides(report, overrides);
    if (!spec::hasErrors(report.problems)) {
        options.tree = &report.parsed.tree;
        report.problems = spec::validate(report.experiment, options);
    }
}

/// The line and column of a problem's field.
void place(spec::Problem& problem, const ExperimentReport& report)
{
    if (const Result<spec::SpecPath> path = spec::parsePath(problem.fieldPath)) {
        const Result<spec::SpecPath> indexed = spec::indexedPath(report.experiment, *path);
        const spec::TextPlace where = spec::placeOf(report.parsed.tree, indexed ? *indexed : *path);
        problem.line = where.line;
        problem.column = where.column;
    }
}

/// Whether the only problems are values out of range in fields marked `memory_grows`.
bool isOnlyTooLarge(const ExperimentReport& report)
{
    return std::all_of(
        report.problems.begin(), report.problems.end(), [&](const spec::Problem& problem) {
            if (problem.severity == spec::Severity::Warning) {
                return true;
            }
            const Result<spec::SpecPath> path = spec::parsePath(problem.fieldPath);
            const auto field = path ? spec::describePath(report.experiment, *path)
                                    : Result<const google::protobuf::FieldDescriptor*>(nullptr);
            // A value that is too small is not a matter of memory.
            return problem.error.id == "spec.out_of_range" && field && *field != nullptr &&
                   train::isSizeField(**field) && !problem.error.arguments[1].starts_with('-') &&
                   problem.error.arguments[1] != "0";
        });
}

/// Adds what prevents the model from being built. A field with too large a value gets the value
/// that would fit.
void checkSize(ExperimentReport& report, const std::string& modelDir)
{
    if (!isOnlyTooLarge(report)) {
        return;
    }
    std::optional<Error> found = train::findSizeProblem(
        {.experiment = report.experiment, .folder = report.folder.string(), .modelDir = modelDir});
    if (!found) {
        return;
    }
    spec::Problem problem = problemOf(*std::move(found));
    place(problem, report);
    // One problem for each field: the one that says what would fit.
    std::erase_if(report.problems, [&](const spec::Problem& other) {
        return other.fieldPath == problem.fieldPath && other.error.id == "spec.out_of_range";
    });
    report.problems.push_back(std::move(problem));
    spec::sortByPlace(report.problems);
}

/// Adds the problems of numbers in the training rows, of their normalizers and of the label.
void checkTrainingRows(const ExperimentReport& report, const data::Dataset& trainData,
                       std::vector<spec::Problem>& problems)
{
    // Normalizers are checked only if there is no such text, which their pass could not read.
    std::vector<Error> list = train::textsAmongNumbers(report.experiment, trainData);
    if (list.empty()) {
        kernels::ThreadPool pool(kernels::threadCount(report.experiment.run_config().threads()));
        Result<std::vector<Error>> found = train::checkNormalizers(
            report.experiment, report.folder.string(), trainData, kernels::lend(pool));
        if (found) {
            list = *std::move(found);
        } else {
            list.push_back(std::move(found).error());
        }
    }
    if (std::optional<Error> label = train::unfitLabel(report.experiment, trainData)) {
        list.push_back(*std::move(label));
    }
    for (Error& one : list) {
        spec::Problem problem = problemOf(std::move(one));
        problem.severity =
            problem.error.id == "data.extreme_value" || problem.error.id == "data.no_deviation"
                ? spec::Severity::Warning
                : spec::Severity::Error;
        if (problem.fieldPath.empty()) {
            problem.fieldPath =
                problem.error.id.starts_with("features.label") ? "data.label" : "data.train";
        }
        place(problem, report);
        problems.push_back(std::move(problem));
    }
}

/// Opens part of the data; a failure becomes a problem at its source.
std::optional<data::Dataset> noted(Result<data::Dataset> opened, const char* source,
                                   const ExperimentReport& report,
                                   std::vector<spec::Problem>& problems)
{
    if (opened) {
        return std::move(opened).value();
    }
    spec::Problem problem = problemOf(std::move(opened).error());
    if (problem.fieldPath.empty()) {
        problem.fieldPath = source;
    }
    place(problem, report);
    problems.push_back(std::move(problem));
    return std::nullopt;
}

} // namespace

Result<spec::ParsedExperiment> loadExperimentFile(const std::filesystem::path& file)
{
    CANNERY_TRY(storage::refuseLinkOfRun(file.string()));
    Result<spec::ParsedExperiment> parsed = spec::loadExperiment(file);
    if (std::optional<Error> other = otherThanExperiment(file, parsed)) {
        return tl::make_unexpected(*std::move(other));
    }
    return parsed;
}

bool isTableInsteadOfExperiment(const std::filesystem::path& file)
{
    const Result<spec::ParsedExperiment> parsed = loadExperimentFile(file);
    return !parsed && parsed.error().id == kIsATableId;
}

std::vector<std::string> problemLines(const std::vector<spec::Problem>& problems,
                                      const std::string& file)
{
    std::vector<std::string> lines;
    std::size_t ofSyntax = 0;
    for (const spec::Problem& problem : problems) {
        const bool isOfSyntax = isSyntaxProblem(problem);
        // A text that is no experiment has thousands of errors, all with the same cause.
        ofSyntax += isOfSyntax ? 1 : 0;
        if (!isOfSyntax || ofSyntax <= kMostSyntaxLines) {
            lines.push_back(spec::render(problem, file));
        }
    }
    if (ofSyntax > kMostSyntaxLines) {
        lines.push_back(
            fmt::format("{}: and {} more errors of the syntax", file, ofSyntax - kMostSyntaxLines));
    }
    return lines;
}

ExperimentReport checkExperimentFile(const std::filesystem::path& file,
                                     const std::vector<std::string>& overrides)
{
    ExperimentReport report{.file = file, .folder = file.parent_path()};
    Result<spec::ParsedExperiment> parsed = loadExperimentFile(file);
    if (!parsed) {
        report.problems.push_back(problemOf(std::move(parsed).error()));
        return report;
    }
    report.parsed = std::move(*parsed);
    validateReport(report, overrides, {});
    return report;
}

ExperimentReport checkExperimentAndData(const std::filesystem::path& file,
                                        const std::vector<std::string>& overrides)
{
    ExperimentReport report = checkExperimentFile(file, overrides);
    std::vector<spec::Problem> ofData;
    std::optional<data::Dataset> train;
    if (!spec::hasErrors(report.problems)) {
        train = noted(data::Dataset::open(report.experiment.data(), report.folder.string(),
                                          data::DataPart::Train),
                      "data.train", report, ofData);
    }
    if (train) {
        // Once more, with the columns: names can only be checked now.
        validateReport(report, overrides, train->schema().names());
    }
    // Also after errors: a size that is too large should be reported with its remedy, not only with
    // its range.
    checkSize(report, {});
    if (train && train::hasEvalData(report.experiment)) {
        noted(data::Dataset::openEval(report.experiment.data(), report.folder.string(), *train),
              "data.eval", report, ofData);
    }
    if (train && !spec::hasErrors(report.problems)) {
        checkTrainingRows(report, *train, ofData);
        report.remarks = survey::tableRemarks(report.experiment, *train);
    }
    report.problems.insert(report.problems.end(), ofData.begin(), ofData.end());
    return report;
}

namespace {

/// Prints the problems; errors end the command.
tl::expected<ExperimentReport, ExitCode> withoutErrors(const Console& console,
                                                       ExperimentReport report)
{
    const std::filesystem::path& file = report.file;
    for (const std::string& line : problemLines(report.problems, file.string())) {
        console.diagnostic(line);
    }
    if (spec::hasErrors(report.problems)) {
        reportFirstError(console, report.problems);
        return tl::make_unexpected(ExitCode::ExperimentOrData);
    }
    return report;
}

} // namespace

tl::expected<ExperimentReport, ExitCode> readExperiment(const Console& console,
                                                        const std::filesystem::path& file,
                                                        const std::vector<std::string>& overrides)
{
    return withoutErrors(console, checkExperimentFile(file, overrides));
}

tl::expected<ExperimentReport, ExitCode>
readTrainableExperiment(const Console& console, const std::filesystem::path& file,
                        const std::vector<std::string>& overrides,
                        const std::filesystem::path& folder, const std::string& modelDir)
{
    ExperimentReport report = checkExperimentFile(file, overrides);
    if (!folder.empty()) {
        report.folder = folder;
    }
    checkSize(report, modelDir);
    return withoutErrors(console, std::move(report));
}

reports::Problems problemsReport(const std::vector<spec::Problem>& problems,
                                 const std::string& file)
{
    reports::Problems report;
    for (const spec::Problem& problem : problems) {
        reports::Problem& row = *report.add_problems();
        row.set_id(problem.error.id);
        row.set_level(problem.severity == spec::Severity::Error ? "error" : "warning");
        row.set_file(file);
        row.set_line(problem.line);
        row.set_column(problem.column);
        row.set_path(problem.fieldPath);
        row.set_sentence(problem.error.message());
        row.mutable_arguments()->Assign(problem.error.arguments.begin(),
                                        problem.error.arguments.end());
    }
    return report;
}

} // namespace cannery::app
