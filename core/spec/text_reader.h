// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/problem.h"
#include "core/spec/syntax_tree.h"

#include <string>
#include <vector>

namespace cannery::spec {

/// What reading a text gave: a tree of all that could be understood, and everything that is wrong.
struct ReadText
{
    SyntaxTree tree;
    std::vector<Problem> problems; ///< without field paths: the schema is not known here
};

/// Reads the grammar of protobuf's text format, whatever the schema; never fails as a whole:
///
///     message := field*
///     field   := name (":" value | [":"] "{" message "}" | [":"] "<" message ">" | [":"] list)
///     [","|";"] value   := ["-"] (name | number) | string+ | list list    := "[" [item (","
///     item)*] "]"
///
/// After an error it goes on at the next field. Protobuf's own tokenizer is not used: it knows
/// neither byte offsets nor where comments stand, and it gives up at a control character.
ReadText readText(std::string text);

} // namespace cannery::spec
