// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/text_lexer.h"

#include "core/spec/text/text_escapes.h"

#include <algorithm>

namespace cannery::spec {

namespace {

constexpr ErrorKind kTextNotClosed{
    "spec.text_not_closed",
    "This text is never closed: put {0} at its end (a text cannot span several lines)."};
constexpr ErrorKind kBadEscape{"spec.bad_escape",
                               "'{0}' is not a valid escape: write '\\\\' for a backslash itself."};
constexpr ErrorKind kBadNumber{
    "spec.bad_number", "'{0}' is not a number: write only digits, or put a text in quotes."};
constexpr ErrorKind kBadCharacter{
    "spec.bad_character",
    "The character {0} is not allowed here: remove it, or put the text around it in quotes."};

constexpr ErrorKind kTextTooLong{
    "spec.text_too_long",
    "The text has {0} {1}, which is too much for an experiment (at most {2})."};
constexpr ErrorKind kTooManyTokens{
    "spec.too_many_tokens", "There are more than {0} words and symbols before this point; the rest "
                            "is not read. Put long lists of words into a vocabulary_file."};

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isWordByte(char c)
{
    return isLetter(c) || isDigit(c) || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// Neither a blank nor the beginning of a token.
bool isMeaningless(char c)
{
    constexpr std::string_view kMeaning = ":{}<>[],;-./\"'#\n";
    return !isBlank(c) && !isLetter(c) && !isDigit(c) && kMeaning.find(c) == std::string_view::npos;
}

class Lexer
{
public:
    Lexer(SyntaxTree& tree, std::vector<Problem>& problems)
        : m_tree(tree), m_text(tree.text), m_problems(problems)
    {}

    std::vector<Token> run();

private:
    char at(std::size_t offset) const { return offset < m_text.size() ? m_text[offset] : '\0'; }
    void report(std::size_t offset, Error error);
    void skipBlanksAndComments();
    void skipComment();
    void skipMeaningless();
    Token next();
    Token word();
    Token number();
    Token string();
    Token symbol();

    SyntaxTree& m_tree;
    const std::string& m_text;
    std::vector<Problem>& m_problems;
    std::size_t m_at = 0;
    bool m_firstOnLine = true;
};

void Lexer::report(std::size_t offset, Error error)
{
    if (m_problems.size() < kMostProblems) {
        m_problems.push_back(syntaxProblem(m_tree, offset, std::move(error)));
    }
}

std::vector<Token> Lexer::run()
{
    m_tree.comments.clear();
    m_tree.lineStarts.assign(1, 0);
    const auto lines = static_cast<std::size_t>(std::count(m_text.begin(), m_text.end(), '\n')) + 1;
    // Checked before anything is kept for each line or token.
    if (m_text.size() > kLargestText || lines > kMostTokens) {
        const bool isLong = m_text.size() > kLargestText;
        report(0, error(ErrorCode::ResourceExhausted, kTextTooLong, isLong ? m_text.size() : lines,
                        isLong ? "bytes" : "lines", isLong ? kLargestText : kMostTokens));
        return {Token{.range = {m_text.size(), m_text.size()}}};
    }
    for (std::size_t i = 0; i < m_text.size(); ++i) {
        if (m_text[i] == '\n') {
            m_tree.lineStarts.push_back(i + 1);
        }
    }
    if (m_text.compare(0, 3, "\xEF\xBB\xBF") == 0) {
        m_at = 3; // a byte order mark
    }
    // One allocation instead of many: at most a token for four bytes is guessed.
    constexpr std::size_t kBytesOfToken = 4; // hardly less on average
    std::vector<Token> tokens;
    tokens.reserve(std::min(m_text.size() / kBytesOfToken, kMostTokens) + 1);
    do {
        tokens.push_back(next());
        if (tokens.size() == kMostTokens) {
            // In front, and past the limit of problems: it explains why everything after this point
            // is missing.
            m_problems.insert(
                m_problems.begin(),
                syntaxProblem(m_tree, m_at,
                              error(ErrorCode::ResourceExhausted, kTooManyTokens, kMostTokens)));
            m_at = m_text.size();
        }
    } while (tokens.back().kind != TokenKind::End);
    return tokens;
}

void Lexer::skipComment()
{
    std::size_t end = m_text.find('\n', m_at);
    end = end == std::string::npos ? m_text.size() : end;
    const std::size_t next = end;
    // Files with CRLF: the CR is part of the line's end, not of the comment.
    while (end > m_at && m_text[end - 1] == '\r') {
        --end;
    }
    m_tree.comments.push_back({{m_at, end}, m_firstOnLine});
    m_at = next;
}

void Lexer::skipBlanksAndComments()
{
    while (m_at < m_text.size()) {
        if (m_text[m_at] == '\n') {
            m_firstOnLine = true;
            ++m_at;
        } else if (isBlank(m_text[m_at])) {
            ++m_at;
        } else if (m_text[m_at] == '#') {
            skipComment();
        } else if (isMeaningless(m_text[m_at])) {
            skipMeaningless();
        } else {
            return;
        }
    }
}

/// Reports a run of such characters once.
void Lexer::skipMeaningless()
{
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && isMeaningless(m_text[m_at])) {
        ++m_at;
    }
    const auto byte = static_cast<unsigned char>(m_text[begin]);
    const std::string shown =
        byte < 0x20U || byte == 0x7FU
            ? fmt::format("0x{:02x}", byte)
            : "'" + m_text.substr(begin, std::min<std::size_t>(m_at - begin, 16)) + "'";
    report(begin, error(ErrorCode::InvalidArgument, kBadCharacter, shown));
}

Token Lexer::next()
{
    skipBlanksAndComments();
    const bool firstOnLine = m_firstOnLine;
    m_firstOnLine = false;
    const std::size_t begin = m_at;
    Token token;
    const char c = at(m_at);
    if (m_at >= m_text.size()) {
        token.kind = TokenKind::End;
    } else if (isLetter(c)) {
        token = word();
    } else if (isDigit(c) || (c == '.' && isDigit(at(m_at + 1)))) {
        token = number();
    } else if (c == '"' || c == '\'') {
        token = string();
    } else {
        token = symbol();
    }
    token.range = {begin, m_at};
    token.firstOnLine = firstOnLine;
    return token;
}

Token Lexer::word()
{
    const std::size_t begin = m_at;
    while (isLetter(at(m_at)) || isDigit(at(m_at))) {
        ++m_at;
    }
    return {TokenKind::Identifier, {}, false, m_text.substr(begin, m_at - begin)};
}

Token Lexer::number()
{
    const std::size_t begin = m_at;
    const bool hex = at(m_at) == '0' && (at(m_at + 1) == 'x' || at(m_at + 1) == 'X');
    bool isFloat = false;
    // All that could belong to a number is taken, and read as a whole: "12abc" is one mistake,
    // not two tokens.
    for (m_at += hex ? 2 : 0; m_at < m_text.size(); ++m_at) {
        const char c = m_text[m_at];
        const bool exponentSign =
            !hex && (c == '+' || c == '-') && (m_text[m_at - 1] == 'e' || m_text[m_at - 1] == 'E');
        if (!isWordByte(c) && c != '.' && !exponentSign) {
            break;
        }
        isFloat = isFloat || (!hex && !isDigit(c));
    }
    std::string text = m_text.substr(begin, m_at - begin);
    // As in protobuf's tokenizer: 0x… is hexadecimal, a leading 0 octal, and f may follow a float.
    const std::string_view allowed =
        hex ? "0123456789abcdefABCDEFxX"
            : (isFloat ? "0123456789.eE+-fF" : (text[0] == '0' ? "01234567" : "0123456789"));
    bool good = text.find_first_not_of(allowed) == std::string::npos && !(hex && text.size() == 2);
    if (good && isFloat) {
        const std::size_t suffix = text.find_first_of("fF");
        good = suffix == std::string::npos || suffix + 1 == text.size();
        const std::size_t exponent = text.find_first_of("eE");
        good = good && (exponent == std::string::npos ||
                        (text.find_first_of("eE", exponent + 1) == std::string::npos &&
                         text.find_first_of("0123456789", exponent) != std::string::npos &&
                         text.find('.', exponent) == std::string::npos));
        good = good && text.find('.') == text.rfind('.');
    }
    if (!good) {
        report(begin, error(ErrorCode::InvalidArgument, kBadNumber, text));
        // Reading goes on with a valid number, so that this problem causes no others.
        text = "0";
        isFloat = false;
    }
    return {isFloat ? TokenKind::Float : TokenKind::Integer, {}, false, std::move(text)};
}

Token Lexer::string()
{
    const std::size_t begin = m_at;
    const char quote = m_text[m_at++];
    // An escaped quote does not end the text, but a line's end does, even after a backslash: a
    // quote that is missing must not swallow the rest of the file.
    while (m_at < m_text.size() && m_text[m_at] != quote && m_text[m_at] != '\n') {
        m_at += m_text[m_at] == '\\' && at(m_at + 1) != '\n' && m_at + 1 < m_text.size() ? 2 : 1;
    }
    const std::string_view inside = std::string_view(m_text).substr(begin + 1, m_at - begin - 1);
    std::size_t bad = 0;
    auto bytes = unescape(inside, bad);
    if (!bytes) {
        report(begin + 1 + bad,
               error(ErrorCode::InvalidArgument, kBadEscape, inside.substr(bad, 2)));
        bytes = std::string(inside);
    }
    if (at(m_at) == quote) {
        ++m_at;
    } else {
        report(begin, error(ErrorCode::InvalidArgument, kTextNotClosed, quote));
    }
    return {TokenKind::String, {}, false, std::move(*bytes)};
}

Token Lexer::symbol()
{
    return {TokenKind::Symbol, {}, false, m_text.substr(m_at++, 1)};
}

} // namespace

std::vector<Token> tokenize(SyntaxTree& tree, std::vector<Problem>& problems)
{
    return Lexer(tree, problems).run();
}

Problem syntaxProblem(const SyntaxTree& tree, std::size_t offset, Error error)
{
    const TextPlace place = tree.placeOf(offset);
    return {Severity::Error, place.line, place.column, {}, std::move(error)};
}

} // namespace cannery::spec
