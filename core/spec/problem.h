// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::spec {

/// Maximum number of problems listed for one text.
inline constexpr std::size_t kMostProblems = 300;

enum class Severity
{
    Error,
    Warning,
};

/// A problem in an experiment, bound to the place where it can be fixed.
struct Problem
{
    Severity severity = Severity::Error;
    int line = 0;          ///< 1-based; 0 if unknown
    int column = 0;        ///< 1-based, in characters
    std::string fieldPath; ///< "estimator.dnn_classifier.hidden_units[2]", or empty
    Error error;

    bool operator==(const Problem&) const = default;
};

/// "titanic.cannery:12:7: error: sentence [field.path]". An unknown location is omitted.
std::string render(const Problem& problem, std::string_view file);

/// True if one of them is an error, not a warning.
bool hasErrors(const std::vector<Problem>& problems);

/// Adds a problem unless the list is full.
void addProblem(std::vector<Problem>& problems, Problem problem);

/// By line and column; those without a location last. Problems at the same location keep their
/// order.
void sortByPlace(std::vector<Problem>& problems);

} // namespace cannery::spec
