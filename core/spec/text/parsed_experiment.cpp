// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/parsed_experiment.h"

#include "core/spec/spec_validator.h"
#include "core/spec/text/spec_path.h"
#include "core/spec/text/text_reader.h"
#include "core/spec/text/text_to_message.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace cannery::spec {

namespace {

bool startsWith(const std::string& path, const std::string& prefix)
{
    const auto whole = parsePath(path);
    const auto start = parsePath(prefix);
    return whole && start && whole->startsWith(*start);
}

/// Something is missing, and a misspelt or malformed field took its place.
bool isMissingBecauseOf(const Problem& missing, const Problem& cause)
{
    static const std::set<std::string, std::less<>> kMissing{"spec.required", "spec.too_few"};
    if (missing.error.id == "spec.member_required") {
        return startsWith(cause.fieldPath, missing.fieldPath);
    }
    static const std::set<std::string, std::less<>> kUnknown{"spec.unknown_field",
                                                             "spec.tensorflow_only_field"};
    if (kMissing.count(missing.error.id) == 0 || kUnknown.count(cause.error.id) == 0) {
        return false;
    }
    const auto absent = parsePath(missing.fieldPath);
    // Only within the same message can the misspelt field have been meant.
    const auto unknown = parsePath(cause.fieldPath);
    return absent && unknown && absent->parent() == unknown->parent();
}

bool followsFrom(const Problem& problem, const Problem& cause)
{
    // The same place in the file: the second report is about the same token.
    if (cause.line > 0 && cause.line == problem.line && cause.column == problem.column) {
        return true;
    }
    // A warning about a message that could not be read completely may be wrong.
    const bool around =
        problem.severity == Severity::Warning && startsWith(cause.fieldPath, problem.fieldPath);
    return !cause.fieldPath.empty() && (around || startsWith(problem.fieldPath, cause.fieldPath) ||
                                        isMissingBecauseOf(problem, cause));
}

} // namespace

ParsedExperiment parseExperiment(std::string text)
{
    ReadText read = readText(std::move(text));
    ParsedExperiment parsed;
    parsed.tree = std::move(read.tree);
    parsed.problems = fillMessage(parsed.tree, parsed.tree.root, {}, parsed.experiment);
    for (Problem& problem : parsed.problems) {
        if (const auto path = parsePath(problem.fieldPath)) {
            problem.fieldPath = namedPath(parsed.experiment, *path).toString();
            problem.error.path = problem.fieldPath;
        }
    }
    std::move(read.problems.begin(), read.problems.end(), std::back_inserter(parsed.problems));
    sortByPlace(parsed.problems);
    return parsed;
}

std::vector<Problem> checkParsed(const ParsedExperiment& parsed, const ValidationOptions& options)
{
    std::vector<Problem> problems = parsed.problems;
    if (problems.size() >= kMostProblems) {
        return problems; // the list is full, and what was read is not an experiment
    }
    ValidationOptions withTree = options;
    withTree.tree = &parsed.tree;
    // The validation sees a message that lacks what could not be read, so some of its findings
    // follow from that.
    for (Problem& problem : validate(parsed.experiment, withTree)) {
        if (std::none_of(parsed.problems.begin(), parsed.problems.end(),
                         [&](const Problem& cause) { return followsFrom(problem, cause); })) {
            problems.push_back(std::move(problem));
        }
    }
    sortByPlace(problems);
    return problems;
}

ParsedExperiment checkExperiment(std::string text, const ValidationOptions& options)
{
    ParsedExperiment parsed = parseExperiment(std::move(text));
    parsed.problems = checkParsed(parsed, options);
    return parsed;
}

} // namespace cannery::spec
