// SPDX-License-Identifier: Apache-2.0
#include "core/spec/problem.h"

#include <algorithm>
#include <tuple>

namespace cannery::spec {

std::string render(const Problem& problem, std::string_view file)
{
    std::string text(file);
    if (problem.line > 0) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : ":", problem.line, problem.column);
    }
    if (!text.empty()) {
        text += ": ";
    }
    text += problem.severity == Severity::Error ? "error: " : "warning: ";
    text += problem.error.message();
    if (!problem.fieldPath.empty()) {
        text += fmt::format(" [{}]", problem.fieldPath);
    }
    return text;
}

bool hasErrors(const std::vector<Problem>& problems)
{
    return std::any_of(problems.begin(), problems.end(),
                       [](const Problem& problem) { return problem.severity == Severity::Error; });
}

void addProblem(std::vector<Problem>& problems, Problem problem)
{
    // Warnings must not hide that there is also an error.
    const bool decides = problem.severity == Severity::Error && !hasErrors(problems);
    if (problems.size() < kMostProblems || decides) {
        problems.push_back(std::move(problem));
    }
}

void sortByPlace(std::vector<Problem>& problems)
{
    const auto key = [](const Problem& problem) {
        return std::make_tuple(problem.line == 0, problem.line, problem.column);
    };
    std::stable_sort(problems.begin(), problems.end(),
                     [&](const Problem& a, const Problem& b) { return key(a) < key(b); });
}

} // namespace cannery::spec
