// SPDX-License-Identifier: Apache-2.0
#include "core/filter/filter_tokens.h"

#include "core/base/folded_case.h"
#include "core/base/utf8.h"

#include <utility>

namespace cannery::filter {

namespace {

using Kind = Token::Kind;

constexpr std::string_view kOperatorBytes = "=!<>~";
constexpr std::string_view kSpaces = " \t\r\n\f\v";
constexpr std::string_view kMarks = "\"'`";

bool isIn(std::string_view bytes, char byte)
{
    return bytes.find(byte) != std::string_view::npos;
}

class Lexer
{
public:
    explicit Lexer(std::string_view text) : m_text(text) {}

    std::vector<Token> all()
    {
        std::vector<Token> found;
        while (skipSpaces()) {
            const std::size_t begin = position();
            Token token = next(found);
            token.position = begin;
            token.length = position() - begin;
            found.push_back(std::move(token));
        }
        found.push_back({.kind = Kind::End, .position = position()});
        return found;
    }

private:
    bool skipSpaces()
    {
        while (m_at < m_text.size() && isIn(kSpaces, m_text[m_at])) {
            ++m_at;
        }
        return m_at < m_text.size();
    }

    Token next(const std::vector<Token>& before)
    {
        const char byte = m_text[m_at];
        if (byte == '(') {
            m_isInList = !before.empty() && before.back().kind == Kind::Word &&
                         foldedCase(before.back().text) == "in";
            return mark(Kind::Open);
        }
        if (byte == ')') {
            m_isInList = false;
            return mark(Kind::Close);
        }
        if (byte == ',' && m_isInList) {
            return mark(Kind::Comma);
        }
        if (isIn(kMarks, byte)) {
            return quotation(byte);
        }
        return isIn(kOperatorBytes, byte) ? signs() : word();
    }

    Token mark(Kind kind) { return {.kind = kind, .text = std::string(1, m_text[m_at++])}; }

    Token signs()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && isIn(kOperatorBytes, m_text[m_at])) {
            ++m_at;
        }
        return {.kind = Kind::Operator, .text = std::string(m_text.substr(begin, m_at - begin))};
    }

    /// Ends before a quotation that follows a colon: tag:"a b" is a prefix and its text. A comma is
    /// a part of it outside a list: hidden_units = 64,32.
    Token word()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size()) {
            const char byte = m_text[m_at];
            if (isIn(kOperatorBytes, byte) || isIn(kSpaces, byte) || isIn("()", byte) ||
                (byte == ',' && m_isInList) ||
                (isIn(kMarks, byte) && m_text[m_at - 1] == ':' && m_at > begin)) {
                break;
            }
            ++m_at;
        }
        return {.kind = Kind::Word, .text = std::string(m_text.substr(begin, m_at - begin))};
    }

    Token quotation(char mark)
    {
        Token token{.kind = mark == '`' ? Kind::Name : Kind::Quoted};
        for (++m_at; m_at < m_text.size(); ++m_at) {
            if (m_text[m_at] == mark) {
                ++m_at;
                // The mark twice stands for one of it.
                if (m_at == m_text.size() || m_text[m_at] != mark) {
                    return token;
                }
            }
            token.text.push_back(m_text[m_at]);
        }
        return {.kind = Kind::Unclosed, .text = std::string(1, mark)};
    }

    /// The characters before here. Counted from the last position, so that a long text is walked
    /// through once.
    std::size_t position()
    {
        m_characters += characterCount(m_text.substr(m_counted, m_at - m_counted));
        m_counted = m_at;
        return m_characters;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_counted = 0;
    std::size_t m_characters = 0;
    bool m_isInList = false;
};

} // namespace

std::vector<Token> tokens(std::string_view text)
{
    return Lexer(text).all();
}

} // namespace cannery::filter
