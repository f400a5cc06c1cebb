// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/problem.h"
#include "core/spec/syntax_tree.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::spec {

/// Bytes of one experiment's text.
inline constexpr std::size_t kLargestText = std::size_t{16} << 20U;
/// Words, numbers, texts and signs of one experiment; also its lines.
inline constexpr std::size_t kMostTokens = std::size_t{1} << 20U;

enum class TokenKind
{
    Identifier,
    Integer, ///< decimal, 0x… or 0…, without sign
    Float,
    String,
    Symbol, ///< one byte of ":{}<>[],;-./" or one that means nothing here
    End,
};

struct Token
{
    TokenKind kind = TokenKind::End;
    TextRange range;
    bool firstOnLine = false;
    std::string text; ///< as written; of a string, its bytes without quotes and escapes
};

/// The tokens of `tree.text`, ending with one End token. Fills tree.comments and tree.lineStarts,
/// and reports characters, numbers and texts that are malformed; each still becomes a token. What
/// is beyond a limit above is reported and not read.
std::vector<Token> tokenize(SyntaxTree& tree, std::vector<Problem>& problems);

/// A problem of the syntax at a place of the text.
Problem syntaxProblem(const SyntaxTree& tree, std::size_t offset, Error error);

} // namespace cannery::spec
