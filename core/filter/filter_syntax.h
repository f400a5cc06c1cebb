// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/filter/filter_tokens.h"

#include <tl/expected.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace cannery::filter {

enum class Sign
{
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
};

/// Whether `left sign right`.
template <typename Value>
bool holds(Sign sign, const Value& left, const Value& right)
{
    switch (sign) {
    case Sign::Equal:
        return left == right;
    case Sign::NotEqual:
        return left != right;
    case Sign::Less:
        return left < right;
    case Sign::LessOrEqual:
        return left <= right;
    case Sign::Greater:
        return left > right;
    case Sign::GreaterOrEqual:
        return left >= right;
    }
    return false;
}

/// A filter as a tree. What its names are, and what its values can be compared with, is decided by
/// whoever evaluates it.
struct Node
{
    enum class Kind
    {
        All,      ///< every one of `parts`
        Any,      ///< one of `parts`
        Not,      ///< the only one of `parts`
        Compare,  ///< `name`, `sign`, the only one of `values`
        Contains, ///< `name`, the only one of `values`
        OneOf,    ///< `name`, `values`
        Missing,  ///< `name`
        Prefixed, ///< `name` without its colon, the only one of `values`
        Search,   ///< `name`, a word that is searched for
    };
    Kind kind = Kind::All;
    std::vector<Node> parts;
    Token name;
    Token mark; ///< the sign or the word of the comparison
    Sign sign = Sign::Equal;
    std::vector<Token> values;
};

/// What is wrong with a filter. The sentence is that of whoever evaluates it.
struct SyntaxError
{
    enum class Kind
    {
        UnclosedQuotation, ///< `at` has its mark
        NoName,            ///< before `at`, where a comparison should begin
        NoComparison,      ///< after the name `before`
        UnknownSign,       ///< `at`
        NoValue,           ///< after `before`
        NotMissing,        ///< at `at`, after "is" or, `before`, "is not"
        UnclosedBracket,   ///< `at`
        NoList,            ///< at `at`, after "in"
        Unexpected,        ///< `at`, after what is complete
        TooDeep,           ///< at `at`
    };
    Kind kind = Kind::Unexpected;
    Token at;
    Token before; ///< the token that precedes it; empty at the beginning
    Token name;   ///< of the comparison that is not complete; of kind End if there is none
    /// The comparisons before it, in the order of the text: a mistake in one of them comes first.
    std::vector<Node> complete;
};

/// What stands between comparisons, or instead of one.
enum class Grammar
{
    Comparisons, ///< for rows: `age > 30 and education = "Masters"`
    Search,      ///< for runs, with words to search for as well: `wide tag:best auc > 0.9`
};

/// Brackets and "not" may be nested so deep: each level takes some stack.
constexpr int kDeepest = 100;

/// The tree of a filter; nothing for a text without tokens. The language of every filter:
///
///   filter     := all ("or" all)*
///   all        := part ("and" part)*                  "and" may be left out in a search
///   part       := "not" part | "(" filter ")" | comparison
///   comparison := name ("=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=") value
///               | name ("contains" | "~") value
///               | name "in" "(" value ("," value)* ")"
///               | name "is" "not"? "missing"
///               | prefix ":" value | value            in a search only
///   name       := word | `any name` | "any name"
///   value      := word | "any text" | 'any text'
///
/// A quotation mark inside its own quotation is doubled. Keywords are case-insensitive. In a search
/// "is", "in" and "contains" are keywords only where a comparison with them is complete.
tl::expected<std::optional<Node>, SyntaxError> parse(std::string_view text, Grammar grammar);

} // namespace cannery::filter
