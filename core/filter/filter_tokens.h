// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::filter {

/// A token of a filter's text.
struct Token
{
    enum class Kind
    {
        Word,
        Quoted,   ///< "…" or '…'
        Name,     ///< `…`
        Operator, ///< = != < <= > >= ~, and what is made of the same characters
        Open,
        Close,
        Comma,    ///< only between the values of a list
        Unclosed, ///< a quotation without an end, up to the end of the text
        End,
    };
    Kind kind = Kind::End;
    std::string text;         ///< without quotation marks; of Unclosed: its mark
    std::size_t position = 0; ///< in characters
    std::size_t length = 0;   ///< in characters; 0 at the end

    bool isValue() const { return kind == Kind::Word || kind == Kind::Quoted; }
};

/// The tokens of a text; the last one is of kind End.
std::vector<Token> tokens(std::string_view text);

} // namespace cannery::filter
