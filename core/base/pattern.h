// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace cannery {

/// A regular expression that a person or a file gave, in the dialect of Python's `re` as far as it
/// and PCRE2 agree (look-around, named groups, lazy and possessive quantifiers). It cannot harm:
/// its length, its nesting, and the steps, depth and memory of a search have limits, beyond which
/// there is an Error instead of an answer. Immutable; any thread.
class Pattern
{
public:
    /// Bytes of an expression.
    static constexpr std::size_t kMostBytes = 16384;
    /// Brackets within brackets.
    static constexpr unsigned kMostNesting = 100;
    /// Steps of one search: a few hundredths of a second.
    static constexpr unsigned kMostSteps = 1'000'000;

    /// Errors: "pattern.syntax" with what is wrong and at which byte, "pattern.too_long",
    /// "pattern.too_deep".
    static Result<Pattern> compile(std::string_view text);

    /// Python's `re.match`: whether the expression fits from the beginning of the subject on, not
    /// necessarily to its end. Bytes that are not UTF-8 fit nothing. Errors: "pattern.too_costly".
    Result<bool> matchesStart(std::string_view subject) const;
    /// Python's `re.search`: whether it fits anywhere.
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
