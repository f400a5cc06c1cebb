// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"
#include "core/spec/problem.h"
#include "core/spec/text/syntax_tree.h"

#include <string>
#include <vector>

namespace cannery::spec {

/// A text and the message parsed from it, as far as possible.
struct ParsedExperiment
{
    SyntaxTree tree; ///< tree.text is the text
    Experiment experiment;
    std::vector<Problem> problems; ///< of the text and of its types; in order of location
};

/// Parses an experiment: syntax, unknown fields, types, ranges of integers, repeated singular
/// fields, two members of one oneof. Reports all problems at once; names and values are checked by
/// validate().
ParsedExperiment parseExperiment(std::string text);

struct ValidationOptions;

/// The problems of a parsed experiment and those of validate() together, without those that merely
/// follow from another problem: the output of `cannery check`. An experiment without errors can be
/// resolved and run.
std::vector<Problem> checkParsed(const ParsedExperiment& parsed, const ValidationOptions& options);

/// parseExperiment() and checkParsed() in one call.
ParsedExperiment checkExperiment(std::string text, const ValidationOptions& options);

} // namespace cannery::spec
