// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/problem.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::spec {

class Experiment;
struct SyntaxTree;

struct ValidationOptions
{
    /// Physical columns of the table, if the data has been read. Without them (and without
    /// `column_names` in the experiment) names of columns are not checked.
    std::optional<std::vector<std::string>> knownColumns = std::nullopt;
    /// Problems get line and column from it.
    const SyntaxTree* tree = nullptr;
};

/// Checks everything that needs no data: required fields and ranges as annotated in the schema,
/// dangling, ambiguous and duplicate names, consistency (estimator-canon §1.3, §2.1, §3.1). Reports
/// all problems at once, each with a path, an id and the cure.
std::vector<Problem> validate(const Experiment& experiment, const ValidationOptions& options = {});

} // namespace cannery::spec
