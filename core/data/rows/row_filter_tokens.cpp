// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_filter_tokens.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <optional>

namespace cannery::data {

namespace {

using Kind = RowFilterToken::Kind;

constexpr ErrorKind kOpenQuotation{"data.filter_open_quotation",
                                   "The quotation from character {} is not closed. Add {} at its "
                                   "end."};

constexpr std::string_view kOperatorBytes = "=!<>~";
constexpr std::string_view kSpaces = " \t\r\n\f\v";
constexpr std::string_view kMarks = "\"'`";

bool isIn(std::string_view bytes, char byte)
{
    return bytes.find(byte) != std::string_view::npos;
}

class RowFilterLexer
{
public:
    explicit RowFilterLexer(std::string_view text) : m_text(text) {}

    /// The next token, without its position; nothing if a quotation is not closed.
    std::optional<RowFilterToken> next()
    {
        const char byte = m_text[at];
        if (isIn("(),", byte)) {
            ++at;
            return RowFilterToken{.kind = byte == '('   ? Kind::Open
                                          : byte == ')' ? Kind::Close
                                                        : Kind::Comma,
                                  .text = std::string(1, byte)};
        }
        if (isIn(kMarks, byte)) {
            return quotation(byte);
        }
        const bool isOperator = isIn(kOperatorBytes, byte);
        const std::size_t begin = at;
        // A word ends where another kind of character begins.
        while (at < m_text.size() && isIn(kOperatorBytes, m_text[at]) == isOperator &&
               !isIn("(),", m_text[at]) && !isIn(kSpaces, m_text[at])) {
            ++at;
        }
        return RowFilterToken{.kind = isOperator ? Kind::Operator : Kind::Word,
                              .text = std::string(m_text.substr(begin, at - begin))};
    }

    std::size_t at = 0;

private:
    std::optional<RowFilterToken> quotation(char mark)
    {
        RowFilterToken token{.kind = mark == '`' ? Kind::Name : Kind::Quoted};
        for (++at; at < m_text.size(); ++at) {
            if (m_text[at] == mark) {
                ++at;
                // The mark twice stands for one of it.
                if (at == m_text.size() || m_text[at] != mark) {
                    return token;
                }
            }
            token.text.push_back(m_text[at]);
        }
        return std::nullopt;
    }

    std::string_view m_text;
};

} // namespace

tl::expected<std::vector<RowFilterToken>, FilterProblem> rowFilterTokens(std::string_view text)
{
    std::vector<RowFilterToken> tokens;
    RowFilterLexer lexer(text);
    std::size_t position = 0;
    std::size_t counted = 0;
    const auto positionOf = [&](std::size_t offset) {
        // Counted from the last position, so that a long text is walked through once.
        position += characterCount(text.substr(counted, offset - counted));
        counted = offset;
        return position;
    };
    while (lexer.at < text.size()) {
        if (isIn(kSpaces, text[lexer.at])) {
            ++lexer.at;
            continue;
        }
        const char first = text[lexer.at];
        const std::size_t begin = positionOf(lexer.at);
        std::optional<RowFilterToken> token = lexer.next();
        const std::size_t end = positionOf(lexer.at);
        if (!token) {
            return tl::make_unexpected(
                FilterProblem{.position = begin,
                              .length = end - begin,
                              // From the mark on, as its end was not found.
                              .error = error(ErrorCode::InvalidArgument, kOpenQuotation, begin + 1,
                                             std::string(1, first))});
        }
        token->position = begin;
        token->length = end - begin;
        tokens.push_back(std::move(*token));
    }
    tokens.push_back({.kind = Kind::End, .position = positionOf(text.size())});
    return tokens;
}

} // namespace cannery::data
