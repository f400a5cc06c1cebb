// SPDX-License-Identifier: Apache-2.0
#include "core/serving/json_document.h"

namespace cannery::serving {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(kBlanks);
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Walks over a text and knows what is a string and how deep the brackets are.
class Walk
{
public:
    /// Whether the character is outside of strings.
    bool step(char c)
    {
        if (m_isText) {
            m_isText = m_isEscaped || c != '"';
            m_isEscaped = !m_isEscaped && c == '\\';
            return false;
        }
        m_isText = c == '"';
        m_depth += c == '[' || c == '{' ? 1 : 0;
        m_depth -= c == ']' || c == '}' ? 1 : 0;
        return !m_isText;
    }
    int depth() const { return m_depth; }

private:
    int m_depth = 0;
    bool m_isText = false;
    bool m_isEscaped = false;
};

} // namespace

std::optional<std::vector<JsonPiece>> cutJsonArray(std::string_view text)
{
    std::vector<JsonPiece> pieces;
    Walk walk;
    std::size_t line = 1;
    std::size_t begin = 0; // of the piece
    std::size_t beginLine = 1;
    bool hasBegun = false;
    const auto add = [&](std::size_t end) {
        if (const std::string_view piece = trimmed(text.substr(begin, end - begin));
            !piece.empty()) {
            pieces.push_back({piece, beginLine});
        }
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool isBlank = kBlanks.find(c) != std::string_view::npos;
        line += c == '\n' ? 1 : 0;
        const bool isOutside = walk.step(c);
        if (isOutside && walk.depth() == 0 && c == ']') {
            add(i);
            const bool isEnd = trimmed(text.substr(i + 1)).empty();
            return isEnd ? std::optional(std::move(pieces)) : std::nullopt;
        }
        if (isOutside && walk.depth() == 1 && (c == ',' || !hasBegun)) {
            if (hasBegun) {
                add(i);
            }
            begin = i + 1;
            beginLine = 0;
            hasBegun = true;
        } else if (hasBegun && beginLine == 0 && !isBlank) {
            beginLine = line;
        }
    }
    return std::nullopt;
}

std::size_t findArrayOfObjects(std::string_view text)
{
    Walk walk;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!walk.step(text[i]) || text[i] != '[' || walk.depth() != 2) {
            continue;
        }
        const std::size_t next = text.find_first_not_of(kBlanks, i + 1);
        if (next != std::string_view::npos && text[next] == '{') {
            return i;
        }
    }
    return std::string_view::npos;
}

} // namespace cannery::serving
