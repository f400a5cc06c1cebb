// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace cannery {

/// A regular expression from a user or a file, in the common subset of the dialects of Python's
/// `re` and PCRE2 (look-around, named groups, lazy and possessive quantifiers). It is safe: its
/// length, its nesting, and the steps, depth and memory of a search are limited; beyond a limit
/// there is an Error instead of an answer. Immutable; thread-safe.
class Pattern
{
public:
    /// Maximum bytes of an expression.
    static constexpr std::size_t kMostBytes = 16384;
    /// Maximum nesting of brackets.
    static constexpr unsigned kMostNesting = 100;
    /// Maximum steps of one search: a few hundredths of a second.
    static constexpr unsigned kMostSteps = 1'000'000;

    /// Errors: "pattern.syntax" with the problem and its byte offset, "pattern.too_long",
    /// "pattern.too_deep".
    static Result<Pattern> compile(std::string_view text);

    /// Python's `re.match`: whether the expression matches at the beginning of the subject, not
    /// necessarily to its end. Invalid UTF-8 matches nothing. Errors: "pattern.too_costly".
    Result<bool> matchesStart(std::string_view subject) const;
    /// Python's `re.search`: whether it matches anywhere.
    Result<bool> isFoundIn(std::string_view subject) const;

    const std::string& text() const { return m_text; }

private:
    struct Compiled;

    Pattern(std::string_view text, std::shared_ptr<const Compiled> compiled);
    Result<bool> match(std::string_view subject, unsigned options) const;

    std::string m_text;
    std::shared_ptr<const Compiled> m_compiled;
};

} // namespace cannery
