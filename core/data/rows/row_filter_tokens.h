// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/rows/row_filter.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

/// A token of a row filter.
struct RowFilterToken
{
    enum class Kind
    {
        Word,
        Quoted,   ///< "…" or '…'
        Name,     ///< `…`
        Operator, ///< = != < <= > >= ~
        Open,
        Close,
        Comma,
        End,
    };
    Kind kind = Kind::End;
    std::string text;         ///< without quotation marks
    std::size_t position = 0; ///< in characters
    std::size_t length = 0;
};

/// The tokens of a text, the last one of kind End. An error if a quotation is not closed.
tl::expected<std::vector<RowFilterToken>, FilterProblem> rowFilterTokens(std::string_view text);

} // namespace cannery::data
