// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"
#include "core/spec/problem.h"
#include "core/spec/syntax_tree.h"

#include <string>
#include <vector>

namespace cannery::spec {

/// A text and the message it means, as far as it could be understood.
struct ParsedExperiment
{
    SyntaxTree tree; ///< tree.text is the text
    Experiment experiment;
    std::vector<Problem> problems; ///< of the text and of its types; in order of place
};

/// Reads an experiment: syntax, unknown fields, types, ranges of integers, fields given twice,
/// two members of one oneof. All problems at once; names and values are checked by validate().
ParsedExperiment parseExperiment(std::string text);

struct ValidationOptions;

/// parseExperiment() and validate() together, with what merely follows from another problem left
/// out: what `cannery check` reports. An experiment without errors may be resolved and run.
ParsedExperiment checkExperiment(std::string text, const ValidationOptions& options);

} // namespace cannery::spec
