// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_reason.h"

#include <algorithm>
#include <array>

namespace cannery::data {

namespace {

/// How the advice begins, in the sentences of every reader and encoder of rows.
constexpr std::array<std::string_view, 16> kAdvice{
    ". All sequences ", ". Change ", ". Check ",     ". Close ", ". Convert ", ". Correct ",
    ". Double ",        ". Give ",   ". Is this a ", ". Leave ", ". Name ",    ". Raise ",
    ". Remove ",        ". Set ",    ". Use ",       "; set "};

} // namespace

std::string reasonOf(std::string_view sentence)
{
    std::size_t end = sentence.size();
    for (const std::string_view advice : kAdvice) {
        end = std::min(end, sentence.rfind(advice)); // npos is larger
    }
    const bool isCut = end < sentence.size();
    return std::string(sentence.substr(0, end)) + (isCut ? "." : "");
}

} // namespace cannery::data
