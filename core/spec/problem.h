// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::spec {

/// Problems of one text; what comes behind them is not listed, for nobody reads it.
inline constexpr std::size_t kMostProblems = 300;

enum class Severity
{
    Error,
    Warning,
};

/// One thing wrong with an experiment, bound to the place where a person can cure it.
struct Problem
{
    Severity severity = Severity::Error;
    int line = 0;          ///< 1-based; 0: the text is not known
    int column = 0;        ///< 1-based, in characters
    std::string fieldPath; ///< "estimator.dnn_classifier.hidden_units[2]", or empty
    Error error;

    bool operator==(const Problem&) const = default;
};

/// "titanic.cannery:12:7: error: sentence [field.path]". The place is left out when it is not
/// known.
std::string render(const Problem& problem, std::string_view file);

/// True when one of them is an error, not a warning.
bool hasErrors(const std::vector<Problem>& problems);

/// Adds a problem, unless there are as many as are ever listed.
void addProblem(std::vector<Problem>& problems, Problem problem);

/// By line and column; those without a place last. Problems of one place keep their order.
void sortByPlace(std::vector<Problem>& problems);

} // namespace cannery::spec
