// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/problem.h"
#include "core/spec/text/syntax_tree.h"

#include <string>
#include <vector>

namespace cannery::spec {

/// The result of reading a text: a tree of everything that could be parsed, and all problems.
struct ReadText
{
    SyntaxTree tree;
    std::vector<Problem> problems; ///< without field paths: the schema is not known here
};

/// Parses the grammar of protobuf's text format, for any schema; never fails as a whole:
///
///     message := field*
///     field   := name rest [","|";"]
///     rest    := ":" value | [":"] "{" message "}" | [":"] "<" message ">" | [":"] list
///     value   := ["-"] (name | number) | string+ | list
///     list    := "[" [item ("," item)*] "]"
///     item    := value | "{" message "}" | "<" message ">"
///
/// After an error it continues at the next field. Protobuf's own tokenizer is not used: it knows
/// neither byte offsets nor the positions of comments, and it stops at a control character.
ReadText readText(std::string text);

} // namespace cannery::spec
