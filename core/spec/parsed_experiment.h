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

/// The problems of an experiment as it was parsed and those of validate() together, with what
/// merely follows from another problem left out: what `cannery check` reports. An experiment
/// without errors may be resolved and run.
std::vector<Problem> checkParsed(const ParsedExperiment& parsed, const ValidationOptions& options);

/// parseExperiment() and checkParsed() in one call.
ParsedExperiment checkExperiment(std::string text, const ValidationOptions& options);

} // namespace cannery::spec
