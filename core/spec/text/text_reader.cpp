// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/text_reader.h"

#include "core/spec/text/text_lexer.h"

#include <algorithm>
#include <iterator>

namespace cannery::spec {

namespace {

constexpr int kDeepestNesting = 100;

constexpr ErrorKind kExpectedField{"spec.expected_field",
                                   "Expected the name of a field, found '{0}': a field is written "
                                   "'name: value' or 'name {{ … }}'."};
constexpr ErrorKind kUnopenedBrace{"spec.unopened_brace",
                                   "This '{0}' closes nothing: remove it, or open its message."};
constexpr ErrorKind kUnclosedBrace{"spec.unclosed_brace",
                                   "The '{0}' after '{1}' is never closed: add '{2}'{3}."};
constexpr ErrorKind kWrongBrace{"spec.wrong_brace", "'{0}' is closed by '{1}': write '{2}'."};
constexpr ErrorKind kMissingColon{"spec.missing_colon",
                                  "A ':' is missing between '{0}' and its value."};
constexpr ErrorKind kMissingValue{
    "spec.missing_value", "The field '{0}' has no value: write '{0}: value' or '{0} {{ }}'."};
constexpr ErrorKind kMissingComma{"spec.missing_comma",
                                  "A ',' is missing between two elements of the list '{0}'."};
constexpr ErrorKind kEmptyElement{"spec.empty_element",
                                  "An element is missing in the list '{0}': remove the ','."};
constexpr ErrorKind kUnclosedList{
    "spec.unclosed_list", "The list '{0}' is never closed: add ']' after its last element."};
constexpr ErrorKind kTooDeep{"spec.too_deep",
                             "Messages are nested more than {0} levels deep here."};

class Parser
{
public:
    Parser(SyntaxTree& tree, const std::vector<Token>& tokens, std::vector<Problem>& problems,
           bool trustIndentation)
        : m_tree(tree), m_tokens(tokens), m_problems(problems), m_trustIndentation(trustIndentation)
    {}

    void run();
    /// A brace is unmatched, so nesting cannot be determined from braces alone.
    bool unbalanced() const { return m_unbalanced; }

private:
    const Token& token(std::size_t ahead = 0) const
    {
        // The last token is the end, so that looking ahead needs no check.
        return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
    }
    bool atSymbol(std::string_view symbols, std::size_t ahead = 0) const
    {
        return token(ahead).kind == TokenKind::Symbol &&
               symbols.find(token(ahead).text[0]) != std::string_view::npos;
    }
    bool atEnd() const { return token().kind == TokenKind::End; }
    /// The token begins a field, not a value: `name:`, `name {`, `name <`, `name [`.
    bool atFieldStart(std::size_t ahead = 0) const
    {
        return token(ahead).kind == TokenKind::Identifier && atSymbol(":{<", ahead + 1);
    }
    void report(std::size_t offset, Error error)
    {
        // Locating a problem is slow on long lines, so the list is limited.
        if (m_problems.size() < kMostProblems) {
            m_problems.push_back(syntaxProblem(m_tree, offset, std::move(error)));
        }
    }
    std::string shown(const Token& token) const;
    std::size_t indentation(std::size_t offset) const;
    bool leavesMessage(const Token& opener) const;

    void parseFields(SyntaxMessage& message, const Token* opener, int depth);
    bool parseField(SyntaxMessage& message, int depth);
    bool parseName(SyntaxField& field);
    void parseAfterName(SyntaxField& field, int depth);
    void parseMessageValue(SyntaxField& field, int depth);
    void parseList(SyntaxField& field, int depth);
    bool parseScalar(SyntaxField& field);
    void skipToField();
    void skipBlock();

    SyntaxTree& m_tree;
    const std::vector<Token>& m_tokens;
    std::vector<Problem>& m_problems;
    bool m_trustIndentation;
    std::size_t m_at = 0;
    bool m_unbalanced = false;
};

std::string Parser::shown(const Token& token) const
{
    if (token.kind == TokenKind::End) {
        return "the end of the file";
    }
    return std::string(m_tree.slice(token.range).substr(0, 40));
}

std::size_t Parser::indentation(std::size_t offset) const
{
    const auto after = std::upper_bound(m_tree.lineStarts.begin(), m_tree.lineStarts.end(), offset);
    const std::size_t line = *std::prev(after);
    return m_tree.text.find_first_not_of(" \t", line) - line;
}

/// In a text with unmatched braces: the next token is indented no deeper than the line that opened
/// this message, so the message must have ended before it.
bool Parser::leavesMessage(const Token& opener) const
{
    return m_trustIndentation && token().firstOnLine && token().kind == TokenKind::Identifier &&
           m_tree.lineOf(opener.range.begin) < m_tree.lineOf(token().range.begin) &&
           indentation(token().range.begin) <= indentation(opener.range.begin);
}

void Parser::run()
{
    m_tree.root = {};
    m_tree.root.inside = {0, m_tree.text.size()};
    parseFields(m_tree.root, nullptr, 0);
}

void Parser::parseFields(SyntaxMessage& message, const Token* opener, int depth)
{
    while (!atEnd()) {
        // Either brace closes: parseMessageValue() reports the wrong one, and nesting stays as it
        // is meant.
        if (atSymbol("}>")) {
            if (opener != nullptr) {
                return;
            }
            m_unbalanced = true;
            report(token().range.begin,
                   error(ErrorCode::InvalidArgument, kUnopenedBrace, token().text));
            ++m_at;
            continue;
        }
        // Only in the second attempt, see readText().
        if (opener != nullptr && leavesMessage(*opener)) {
            return;
        }
        if (!parseField(message, depth)) {
            report(token().range.begin,
                   error(ErrorCode::InvalidArgument, kExpectedField, shown(token())));
            skipToField();
        }
    }
}

/// Continues at the next token that can begin a field or close a message.
void Parser::skipToField()
{
    if (atSymbol("{<")) {
        skipBlock();
        return;
    }
    ++m_at;
    // A name at the beginning of a line most likely begins a field, even without a colon.
    while (!atEnd() && !atSymbol("}>{<") && !atFieldStart() &&
           !(token().kind == TokenKind::Identifier && token().firstOnLine)) {
        ++m_at;
    }
}

/// Skips from an opening brace to after the closing one.
void Parser::skipBlock()
{
    int open = 0;
    do {
        open += atSymbol("{<") ? 1 : (atSymbol("}>") ? -1 : 0);
        ++m_at;
    } while (open > 0 && !atEnd());
}

bool Parser::parseField(SyntaxMessage& message, int depth)
{
    SyntaxField field;
    field.range.begin = token().range.begin;
    if (!parseName(field)) {
        return false;
    }
    field.nameRange = {field.range.begin, m_tokens[m_at - 1].range.end};
    parseAfterName(field, depth);
    field.range.end = m_tokens[m_at - 1].range.end;
    // Text format allows either after a field.
    if (atSymbol(",;")) {
        ++m_at;
    }
    message.fields.push_back(std::move(field));
    return true;
}

bool Parser::parseName(SyntaxField& field)
{
    if (token().kind == TokenKind::Identifier) {
        field.name = token().text;
        ++m_at;
        return true;
    }
    // An extension's name or a type URL, as text format has them. No field of ours is called so,
    // but it is one mistake, not many.
    if (!atSymbol("[") || token(1).kind != TokenKind::Identifier) {
        return false;
    }
    std::size_t ahead = 1;
    while (token(ahead).kind == TokenKind::Identifier || atSymbol("./-", ahead)) {
        ++ahead;
    }
    if (!atSymbol("]", ahead)) {
        return false;
    }
    for (std::size_t i = 0; i <= ahead; ++i) {
        field.name += token(i).text;
    }
    m_at += ahead + 1;
    return true;
}

void Parser::parseAfterName(SyntaxField& field, int depth)
{
    const bool colon = atSymbol(":");
    const int nameLine = m_tree.lineOf(field.nameRange.begin);
    if (colon) {
        ++m_at;
    }
    if (atSymbol("{<")) {
        parseMessageValue(field, depth);
        return;
    }
    if (atSymbol("[") && (colon || token(1).kind != TokenKind::Identifier)) {
        parseList(field, depth);
        return;
    }
    // After a name without a value, the next line is more likely another field than the value.
    const bool otherLine = m_tree.lineOf(token().range.begin) != nameLine;
    const bool nextField = otherLine && (atFieldStart() || !colon);
    const std::size_t valueBegin = token().range.begin;
    if (nextField || !parseScalar(field)) {
        report(field.nameRange.begin, error(ErrorCode::InvalidArgument, kMissingValue, field.name));
    } else if (!colon) {
        report(valueBegin, error(ErrorCode::InvalidArgument, kMissingColon, field.name));
    }
}

void Parser::parseMessageValue(SyntaxField& field, int depth)
{
    const Token opener = token();
    const std::string_view closer = opener.text == "{" ? "}" : ">";
    SyntaxValue value;
    value.isMessage = true;
    value.range.begin = opener.range.begin;
    value.message.inside.begin = opener.range.end;
    // Parsing is recursive, and a file must not exhaust the stack.
    if (depth + 1 >= kDeepestNesting) {
        report(opener.range.begin, error(ErrorCode::InvalidArgument, kTooDeep, kDeepestNesting));
        skipBlock();
        value.message.inside.end = m_tokens[m_at - 1].range.begin;
    } else {
        ++m_at;
        parseFields(value.message, &opener, depth + 1);
        value.message.inside.end = token().range.begin;
        if (atSymbol("}>")) {
            if (token().text != closer) {
                report(token().range.begin, error(ErrorCode::InvalidArgument, kWrongBrace,
                                                  opener.text, token().text, closer));
            }
            ++m_at;
        } else {
            m_unbalanced = true;
            const std::string before =
                atEnd() ? ""
                        : fmt::format(" before line {}", m_tree.placeOf(token().range.begin).line);
            report(opener.range.begin, error(ErrorCode::InvalidArgument, kUnclosedBrace,
                                             opener.text, field.name, closer, before));
            value.message.inside.end = m_tokens[m_at - 1].range.end;
        }
    }
    value.range.end = m_tokens[m_at - 1].range.end;
    field.values.push_back(std::move(value));
}

void Parser::parseList(SyntaxField& field, int depth)
{
    field.isList = true;
    field.list.begin = token().range.begin;
    ++m_at;
    bool wantsElement = false; // after a comma
    while (!atSymbol("]")) {
        // What cannot be in a list ends it, so that the fields behind a missing bracket are still
        // read.
        if (atEnd() || atSymbol("}>:") || atFieldStart()) {
            report(field.list.begin, error(ErrorCode::InvalidArgument, kUnclosedList, field.name));
            field.list.end = m_tokens[m_at - 1].range.end;
            return;
        }
        if (atSymbol(",")) {
            if (wantsElement || field.values.empty()) {
                report(token().range.begin,
                       error(ErrorCode::InvalidArgument, kEmptyElement, field.name));
            }
            wantsElement = true;
            ++m_at;
            continue;
        }
        if (!field.values.empty() && !wantsElement) {
            report(token().range.begin,
                   error(ErrorCode::InvalidArgument, kMissingComma, field.name));
        }
        wantsElement = false;
        if (atSymbol("{<")) {
            parseMessageValue(field, depth);
        } else if (!parseScalar(field)) {
            report(token().range.begin,
                   error(ErrorCode::InvalidArgument, kEmptyElement, field.name));
            ++m_at;
        }
    }
    if (wantsElement) {
        report(token().range.begin, error(ErrorCode::InvalidArgument, kEmptyElement, field.name));
    }
    ++m_at;
    field.list.end = m_tokens[m_at - 1].range.end;
}

bool Parser::parseScalar(SyntaxField& field)
{
    SyntaxValue value;
    value.range.begin = token().range.begin;
    if (atSymbol("-")) {
        value.negative = true;
        ++m_at;
    }
    switch (token().kind) {
    case TokenKind::Identifier:
        value.kind = ScalarKind::Identifier;
        break;
    case TokenKind::Integer:
        value.kind = ScalarKind::Integer;
        break;
    case TokenKind::Float:
        value.kind = ScalarKind::Float;
        break;
    case TokenKind::String:
        value.kind = value.negative ? ScalarKind::Malformed : ScalarKind::String;
        break;
    case TokenKind::Symbol:
    case TokenKind::End:
        // The sign is given back: the caller reports it.
        m_at -= value.negative ? 1 : 0;
        return false;
    }
    value.text = token().text;
    ++m_at;
    // Texts side by side are one text, as in C and in protobuf's format.
    while (value.kind == ScalarKind::String && token().kind == TokenKind::String) {
        value.text += token().text;
        ++m_at;
    }
    value.range.end = m_tokens[m_at - 1].range.end;
    field.values.push_back(std::move(value));
    return true;
}

/// An unterminated text swallows the braces after it on its line: they are not missing.
void dropConsequences(std::vector<Problem>& problems, std::size_t lexical)
{
    const auto isSwallowed = [&](const Problem& problem) {
        return problem.error.id == kUnclosedBrace.id &&
               std::any_of(problems.begin(),
                           problems.begin() + static_cast<std::ptrdiff_t>(lexical),
                           [&](const Problem& cause) {
                               return cause.line == problem.line &&
                                      cause.error.id == "spec.text_not_closed";
                           });
    };
    std::vector<Problem> kept;
    std::copy_if(problems.begin(), problems.end(), std::back_inserter(kept),
                 [&](const Problem& problem) { return !isSwallowed(problem); });
    problems = std::move(kept);
}

} // namespace

ReadText readText(std::string text)
{
    ReadText result;
    result.tree.text = std::move(text);
    const std::vector<Token> tokens = tokenize(result.tree, result.problems);
    const std::size_t lexical = result.problems.size();
    Parser parser(result.tree, tokens, result.problems, false);
    parser.run();
    // Once more with indentation as the measure: a missing brace would otherwise be reported at the
    // end of the file, far from its place. The problems of the first attempt are dropped.
    if (parser.unbalanced()) {
        result.problems.resize(lexical);
        Parser(result.tree, tokens, result.problems, true).run();
    }
    dropConsequences(result.problems, lexical);
    sortByPlace(result.problems);
    return result;
}

} // namespace cannery::spec
