// SPDX-License-Identifier: Apache-2.0
#include "core/filter/filter_syntax.h"

#include "core/base/folded_case.h"
#include "core/base/result.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cannery::filter {

namespace {

using Parsed = tl::expected<Node, SyntaxError>;
using Wrong = SyntaxError::Kind;

std::optional<Sign> signOf(std::string_view text)
{
    static constexpr std::array<std::pair<std::string_view, Sign>, 8> kSigns{
        {{"=", Sign::Equal},
         {"==", Sign::Equal},
         {"!=", Sign::NotEqual},
         {"<>", Sign::NotEqual},
         {"<", Sign::Less},
         {"<=", Sign::LessOrEqual},
         {">", Sign::Greater},
         {">=", Sign::GreaterOrEqual}}};
    const auto* found = std::find_if(kSigns.begin(), kSigns.end(),
                                     [&](const auto& row) { return row.first == text; });
    return found == kSigns.end() ? std::nullopt : std::optional(found->second);
}

/// A single part stays what it is.
Node joined(Node::Kind kind, std::vector<Node> parts)
{
    return parts.size() == 1 ? std::move(parts.front())
                             : Node{.kind = kind, .parts = std::move(parts)};
}

Node negated(Node part)
{
    Node node{.kind = Node::Kind::Not};
    node.parts.push_back(std::move(part));
    return node;
}

class Parser
{
public:
    Parser(std::vector<Token> tokens, Grammar grammar)
        : m_tokens(std::move(tokens)), m_searches(grammar == Grammar::Search)
    {}

    Parsed parseWhole()
    {
        // What is left over after a whole filter is a mistake.
        Parsed root = parseAny();
        if (root && peek().kind != Token::Kind::End) {
            root = fail(Wrong::Unexpected);
        }
        if (!root) {
            root.error().name = std::move(m_name);
            root.error().complete = std::move(m_complete);
        }
        return root;
    }

private:
    // The last token is the end, which is never passed: peek() is always valid.
    const Token& peek(std::size_t ahead = 0) const
    {
        return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
    }
    Token take() { return m_tokens[m_at + 1 < m_tokens.size() ? m_at++ : m_at]; }
    bool isWord(std::string_view word, std::size_t ahead = 0) const
    {
        return peek(ahead).kind == Token::Kind::Word && foldedCase(peek(ahead).text) == word;
    }
    bool takeWord(std::string_view word)
    {
        const bool isThere = isWord(word);
        m_at += isThere ? 1 : 0;
        return isThere;
    }

    tl::unexpected<SyntaxError> failAt(Wrong kind, std::size_t index) const
    {
        // A quotation that is not closed takes the rest of the text: it is what is wrong, whatever
        // was expected in its place.
        const Token& at = m_tokens[index];
        return tl::make_unexpected(
            SyntaxError{.kind = at.kind == Token::Kind::Unclosed ? Wrong::UnclosedQuotation : kind,
                        .at = at,
                        .before = index > 0 ? m_tokens[index - 1] : Token{}});
    }
    tl::unexpected<SyntaxError> fail(Wrong kind) const { return failAt(kind, m_at); }

    /// "or" binds more loosely than "and", so it is parsed around it.
    Parsed parseAny()
    {
        std::vector<Node> parts;
        do {
            CANNERY_TRY_ASSIGN(parts.emplace_back(), parseTogether());
        } while (takeWord("or"));
        return joined(Node::Kind::Any, std::move(parts));
    }

    Parsed parseTogether()
    {
        std::vector<Node> parts;
        do {
            CANNERY_TRY_ASSIGN(parts.emplace_back(), parsePart());
        } while (takeWord("and") || isFollowedByPart());
        return joined(Node::Kind::All, std::move(parts));
    }

    bool isFollowedByPart() const
    {
        return m_searches && peek().kind != Token::Kind::End && peek().kind != Token::Kind::Close &&
               !isWord("or");
    }

    Parsed parsePart()
    {
        // Brackets and "not" both come through here, so one count bounds the recursion.
        if (m_depth >= kDeepest) {
            return fail(Wrong::TooDeep);
        }
        ++m_depth;
        Parsed part = parseWithin();
        --m_depth;
        return part;
    }

    Parsed parseWithin()
    {
        if (takeWord("not")) {
            CANNERY_TRY_ASSIGN(Node part, parsePart());
            return negated(std::move(part));
        }
        if (peek().kind != Token::Kind::Open) {
            return parseComparison();
        }
        const std::size_t open = m_at++;
        CANNERY_TRY_ASSIGN(Node inside, parseAny());
        // Reported at the bracket that is open: the end of the text is not where it is mended.
        if (peek().kind == Token::Kind::End) {
            return failAt(Wrong::UnclosedBracket, open);
        }
        if (peek().kind != Token::Kind::Close) {
            return fail(Wrong::Unexpected);
        }
        take();
        return inside;
    }

    Parsed parseComparison()
    {
        // A name that is a word such as "and" must be quoted.
        const bool isName = peek().isValue() || peek().kind == Token::Kind::Name;
        if (!isName || isWord("and") || isWord("or")) {
            return fail(Wrong::NoName);
        }
        if (m_searches && !isComparison()) {
            return parseSearched();
        }
        m_name = peek();
        CANNERY_TRY_ASSIGN(Node node, parseAfterName());
        m_name = {};
        m_complete.push_back(node);
        return node;
    }

    Parsed parseAfterName()
    {
        Node node{.name = take(), .mark = peek()};
        if (takeWord("is")) {
            return parseMissing(std::move(node));
        }
        if (takeWord("in")) {
            return parseList(std::move(node));
        }
        if (takeWord("contains")) {
            node.kind = Node::Kind::Contains;
            return withValue(std::move(node));
        }
        if (peek().kind != Token::Kind::Operator) {
            return fail(Wrong::NoComparison);
        }
        const bool isPart = peek().text == "~";
        const std::optional<Sign> sign = signOf(peek().text);
        if (!sign && !isPart) {
            return fail(Wrong::UnknownSign);
        }
        take();
        node.kind = isPart ? Node::Kind::Contains : Node::Kind::Compare;
        node.sign = sign.value_or(Sign::Equal);
        return withValue(std::move(node));
    }

    /// Whether a comparison follows the name here, and not another word to search for.
    bool isComparison() const
    {
        if (peek(1).kind == Token::Kind::Operator || peek().kind == Token::Kind::Name) {
            return true;
        }
        if (isWord("in", 1)) {
            return peek(2).kind == Token::Kind::Open;
        }
        if (isWord("is", 1)) {
            return isWord("missing", 2) || (isWord("not", 2) && isWord("missing", 3));
        }
        return isWord("contains", 1) && peek(2).isValue();
    }

    Parsed parseSearched()
    {
        Node node{.kind = Node::Kind::Search, .name = take()};
        const std::size_t colon =
            node.name.kind == Token::Kind::Word ? node.name.text.find(':') : std::string::npos;
        if (colon == std::string::npos) {
            return node;
        }
        node.kind = Node::Kind::Prefixed;
        const std::string rest = node.name.text.substr(colon + 1);
        node.name.text.resize(colon);
        if (rest.empty()) {
            return withValue(std::move(node));
        }
        Token value = node.name;
        value.text = rest;
        node.values.push_back(std::move(value));
        return node;
    }

    Parsed withValue(Node node)
    {
        CANNERY_TRY(takeValue(node));
        return node;
    }

    tl::expected<void, SyntaxError> takeValue(Node& node)
    {
        if (!peek().isValue()) {
            return fail(Wrong::NoValue);
        }
        node.values.push_back(take());
        return {};
    }

    Parsed parseMissing(Node node)
    {
        // "is not missing" is one comparison.
        const bool isNot = takeWord("not");
        if (!takeWord("missing")) {
            return fail(Wrong::NotMissing);
        }
        node.kind = Node::Kind::Missing;
        return isNot ? negated(std::move(node)) : std::move(node);
    }

    Parsed parseList(Node node)
    {
        if (peek().kind != Token::Kind::Open) {
            return fail(Wrong::NoList);
        }
        const std::size_t open = m_at;
        node.kind = Node::Kind::OneOf;
        // The bracket first, then each comma.
        do {
            take();
            CANNERY_TRY(takeValue(node));
        } while (peek().kind == Token::Kind::Comma);
        if (peek().kind != Token::Kind::Close) {
            return peek().kind == Token::Kind::Unclosed ? fail(Wrong::UnclosedQuotation)
                                                        : failAt(Wrong::UnclosedBracket, open);
        }
        take();
        return node;
    }

    std::vector<Token> m_tokens;
    bool m_searches;
    std::size_t m_at = 0;
    int m_depth = 0;
    // For an error:
    Token m_name;
    std::vector<Node> m_complete;
};

} // namespace

tl::expected<std::optional<Node>, SyntaxError> parse(std::string_view text, Grammar grammar)
{
    std::vector<Token> found = tokens(text);
    // The end alone: an empty filter matches everything.
    if (found.size() == 1) {
        return std::nullopt;
    }
    return Parser(std::move(found), grammar).parseWhole();
}

} // namespace cannery::filter
