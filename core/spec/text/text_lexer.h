// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/problem.h"
#include "core/spec/text/syntax_tree.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::spec {

/// Maximum bytes of an experiment's text.
inline constexpr std::size_t kLargestText = std::size_t{16} << 20U;
/// Maximum number of words, numbers, texts and symbols in an experiment; also of its lines.
inline constexpr std::size_t kMostTokens = std::size_t{1} << 20U;

enum class TokenKind
{
    Identifier,
    Integer, ///< decimal, 0x… or 0…, without sign
    Float,
    String,
    Symbol, ///< one byte of ":{}<>[],;-./", or an invalid one
    End,
};

struct Token
{
    TokenKind kind = TokenKind::End;
    TextRange range;
    bool firstOnLine = false;
    std::string text; ///< as written; for a string, its bytes without quotes and escapes
};

/// The tokens of `tree.text`, ending with one End token. Fills tree.comments and tree.lineStarts,
/// and reports malformed characters, numbers and texts; each still becomes a token. Text beyond one
/// of the limits above is reported and not read.
std::vector<Token> tokenize(SyntaxTree& tree, std::vector<Problem>& problems);

/// A syntax problem at a location in the text.
Problem syntaxProblem(const SyntaxTree& tree, std::size_t offset, Error error);

} // namespace cannery::spec
