// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/run_filter.h"

#include "ui/models/run_fields.h"

#include <QCoreApplication>
#include <QHash>

#include <algorithm>
#include <array>
#include <vector>

namespace cannery::ui {

/// A part of a filter. Built once, then only read.
class RunFilter::Node
{
public:
    virtual ~Node() = default;
    virtual bool matches(const RunRow& run) const = 0;
    /// Adds the fields that comparisons name.
    virtual void collectFields(QStringList& fields) const = 0;
};

namespace {

using Node = RunFilter::Node;
using NodePtr = std::unique_ptr<Node>;

/// How many brackets and "not" may be within each other: each is a level of the stack.
constexpr int kDeepest = 100;

QString message(const char* text)
{
    return QCoreApplication::translate("RunFilter", text);
}

class AllOf : public Node
{
public:
    explicit AllOf(std::vector<NodePtr> parts) : m_parts(std::move(parts)) {}
    bool matches(const RunRow& run) const override
    {
        for (const NodePtr& part : m_parts) {
            if (!part->matches(run)) {
                return false;
            }
        }
        return true;
    }
    void collectFields(QStringList& fields) const override
    {
        for (const NodePtr& part : m_parts) {
            part->collectFields(fields);
        }
    }

private:
    std::vector<NodePtr> m_parts;
};

class AnyOf : public Node
{
public:
    explicit AnyOf(std::vector<NodePtr> parts) : m_parts(std::move(parts)) {}
    bool matches(const RunRow& run) const override
    {
        for (const NodePtr& part : m_parts) {
            if (part->matches(run)) {
                return true;
            }
        }
        return false;
    }
    void collectFields(QStringList& fields) const override
    {
        for (const NodePtr& part : m_parts) {
            part->collectFields(fields);
        }
    }

private:
    std::vector<NodePtr> m_parts;
};

class Not : public Node
{
public:
    explicit Not(NodePtr part) : m_part(std::move(part)) {}
    bool matches(const RunRow& run) const override { return !m_part->matches(run); }
    void collectFields(QStringList& fields) const override { m_part->collectFields(fields); }

private:
    NodePtr m_part;
};

enum class Operator
{
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Contains,
};

bool holds(Operator op, double left, double right)
{
    switch (op) {
    case Operator::Equal:
        return left == right;
    case Operator::NotEqual:
        return left != right;
    case Operator::Less:
        return left < right;
    case Operator::LessOrEqual:
        return left <= right;
    case Operator::Greater:
        return left > right;
    case Operator::GreaterOrEqual:
        return left >= right;
    case Operator::Contains:
        return false;
    }
    return false;
}

class Comparison : public Node
{
public:
    Comparison(QString field, Operator op, QString value)
        : m_field(std::move(field)), m_operator(op), m_value(std::move(value)),
          m_number(numberOf(m_value))
    {}
    bool matches(const RunRow& run) const override
    {
        const QStringList texts = fieldTexts(run, m_field);
        if (m_operator == Operator::NotEqual) {
            // "lr != 0.1" of a run with two rates: neither may be 0.1.
            return !texts.isEmpty() && std::all_of(texts.begin(), texts.end(),
                                                   [&](const auto& t) { return matchesText(t); });
        }
        return std::any_of(texts.begin(), texts.end(),
                           [&](const QString& text) { return matchesText(text); });
    }
    void collectFields(QStringList& fields) const override { fields.append(m_field); }

private:
    bool matchesText(const QString& text) const
    {
        if (m_operator == Operator::Contains ||
            (m_operator == Operator::Equal && m_field == QLatin1String("data"))) {
            return text.contains(m_value, Qt::CaseInsensitive);
        }
        const std::optional<double> number = m_number ? numberOf(text) : std::nullopt;
        if (number) {
            return holds(m_operator, *number, *m_number);
        }
        const bool isSame = text.compare(m_value, Qt::CaseInsensitive) == 0;
        return (m_operator == Operator::Equal && isSame) ||
               (m_operator == Operator::NotEqual && !isSame);
    }

    QString m_field;
    Operator m_operator;
    QString m_value;
    std::optional<double> m_number;
};

/// "tag:best" is the whole tag; the other prefixes look for a part.
class Prefixed : public Node
{
public:
    Prefixed(QString prefix, QString text) : m_prefix(std::move(prefix)), m_text(std::move(text)) {}
    bool matches(const RunRow& run) const override
    {
        if (m_prefix == QLatin1String("tag")) {
            return run.tags.contains(m_text, Qt::CaseInsensitive);
        }
        for (const QString& text : fieldTexts(run, m_prefix)) {
            if (text.contains(m_text, Qt::CaseInsensitive)) {
                return true;
            }
        }
        return false;
    }
    void collectFields(QStringList&) const override {}

private:
    QString m_prefix;
    QString m_text;
};

class Word : public Node
{
public:
    explicit Word(QString text) : m_text(std::move(text)) {}
    bool matches(const RunRow& run) const override
    {
        static constexpr std::array kFields{"name", "tags", "notes", "estimator", "experiment"};
        for (const char* field : kFields) {
            for (const QString& text : fieldTexts(run, QString::fromLatin1(field))) {
                if (text.contains(m_text, Qt::CaseInsensitive)) {
                    return true;
                }
            }
        }
        return false;
    }
    void collectFields(QStringList&) const override {}

private:
    QString m_text;
};

class Starred : public Node
{
public:
    bool matches(const RunRow& run) const override { return run.starred; }
    void collectFields(QStringList&) const override {}
};

struct Token
{
    enum class Kind
    {
        Word,
        Quoted,
        Operator,
        Open,
        Close,
        End,
    };
    Kind kind = Kind::End;
    QString text;
    qsizetype position = 0;
    qsizetype length = 0;
};

bool isOperatorLetter(QChar letter)
{
    return QStringLiteral("=!<>~").contains(letter);
}

class Lexer
{
public:
    explicit Lexer(const QString& text) : m_text(text) {}

    std::vector<Token> tokens(std::optional<FilterError>& error)
    {
        std::vector<Token> found;
        while (m_at < m_text.size() && !error) {
            if (m_text.at(m_at).isSpace()) {
                ++m_at;
                continue;
            }
            const qsizetype begin = m_at;
            Token token = next(error);
            token.position = begin;
            token.length = m_at - begin;
            found.push_back(std::move(token));
        }
        found.push_back({Token::Kind::End, {}, m_text.size(), 0});
        return found;
    }

private:
    Token next(std::optional<FilterError>& error)
    {
        const QChar letter = m_text.at(m_at);
        if (letter == '(' || letter == ')') {
            ++m_at;
            return {letter == '(' ? Token::Kind::Open : Token::Kind::Close, letter};
        }
        if (letter == '"' || letter == '\'') {
            return {Token::Kind::Quoted, quoted(letter, error)};
        }
        if (isOperatorLetter(letter)) {
            const qsizetype begin = m_at;
            while (m_at < m_text.size() && isOperatorLetter(m_text.at(m_at))) {
                ++m_at;
            }
            return {Token::Kind::Operator, m_text.mid(begin, m_at - begin)};
        }
        return {Token::Kind::Word, word()};
    }

    QString quoted(QChar mark, std::optional<FilterError>& error)
    {
        const qsizetype begin = m_at++;
        const qsizetype end = m_text.indexOf(mark, m_at);
        if (end < 0) {
            error = FilterError{begin, m_text.size() - begin,
                                message("Nothing closes the quotation mark.")};
            m_at = m_text.size();
            return {};
        }
        const QString inner = m_text.mid(m_at, end - m_at);
        m_at = end + 1;
        return inner;
    }

    /// Up to a space, an operator or a bracket; ends after a colon, so that tag:"a b" is two
    /// tokens.
    QString word()
    {
        const qsizetype begin = m_at;
        while (m_at < m_text.size()) {
            const QChar letter = m_text.at(m_at);
            if (letter.isSpace() || letter == '(' || letter == ')' || isOperatorLetter(letter)) {
                break;
            }
            ++m_at;
            if (letter == ':') {
                break;
            }
        }
        return m_text.mid(begin, m_at - begin);
    }

    const QString& m_text;
    qsizetype m_at = 0;
};

class Parser
{
public:
    Parser(std::vector<Token> tokens, std::optional<FilterError>& error)
        : m_tokens(std::move(tokens)), m_error(error)
    {}

    NodePtr parseAll()
    {
        NodePtr root = parseOr();
        if (!m_error && peek().kind != Token::Kind::End) {
            failAt(peek(), message("This ')' closes nothing."));
        }
        return m_error ? nullptr : std::move(root);
    }

private:
    const Token& peek() const { return m_tokens[m_at]; }
    const Token& take() { return m_tokens[m_at + 1 < m_tokens.size() ? m_at++ : m_at]; }
    bool isWord(const char* word) const
    {
        return peek().kind == Token::Kind::Word &&
               peek().text.compare(QLatin1String(word), Qt::CaseInsensitive) == 0;
    }
    NodePtr failAt(const Token& token, const QString& sentence)
    {
        if (!m_error) {
            m_error = FilterError{token.position, std::max<qsizetype>(1, token.length), sentence};
        }
        return nullptr;
    }

    NodePtr parseOr()
    {
        std::vector<NodePtr> parts;
        parts.push_back(parseAnd());
        while (!m_error && isWord("or")) {
            take();
            parts.push_back(parseAnd());
        }
        if (m_error) {
            return nullptr;
        }
        return parts.size() == 1 ? std::move(parts.front())
                                 : std::make_unique<AnyOf>(std::move(parts));
    }

    NodePtr parseAnd()
    {
        std::vector<NodePtr> parts;
        parts.push_back(parseUnary());
        while (!m_error && peek().kind != Token::Kind::End && peek().kind != Token::Kind::Close &&
               !isWord("or")) {
            if (isWord("and")) {
                take();
            }
            parts.push_back(parseUnary());
        }
        if (m_error) {
            return nullptr;
        }
        return parts.size() == 1 ? std::move(parts.front())
                                 : std::make_unique<AllOf>(std::move(parts));
    }

    NodePtr parseUnary()
    {
        if (m_depth >= kDeepest) {
            return failAt(peek(), message("More than %1 brackets and 'not' are within each other; "
                                          "write the filter flatter.")
                                      .arg(kDeepest));
        }
        ++m_depth;
        NodePtr part = parseWithin();
        --m_depth;
        return part;
    }

    NodePtr parseWithin()
    {
        if (isWord("not")) {
            take();
            NodePtr part = parseUnary();
            return m_error ? nullptr : std::make_unique<Not>(std::move(part));
        }
        if (peek().kind == Token::Kind::Open) {
            return parseBrackets();
        }
        if (peek().kind == Token::Kind::Quoted) {
            return std::make_unique<Word>(take().text);
        }
        if (peek().kind != Token::Kind::Word || isWord("and") || isWord("or")) {
            return failAt(peek(), missingPart());
        }
        return parseTerm();
    }

    QString missingPart() const
    {
        if (peek().kind == Token::Kind::Operator) {
            return message("A field is missing before '%1', as in: auc > 0.9").arg(peek().text);
        }
        if (m_at > 0) {
            return message("Something is missing after '%1'.").arg(m_tokens[m_at - 1].text);
        }
        return message("The filter begins with '%1'; write as in: tag:best and auc > 0.9")
            .arg(peek().text);
    }

    NodePtr parseBrackets()
    {
        const Token open = take();
        NodePtr inside = parseOr();
        if (m_error) {
            return nullptr;
        }
        if (peek().kind != Token::Kind::Close) {
            return failAt(open, message("Nothing closes this '('."));
        }
        take();
        return inside;
    }

    NodePtr parseTerm()
    {
        const Token term = take();
        if (term.text.endsWith(':')) {
            return parsePrefixed(term);
        }
        if (peek().kind == Token::Kind::Operator) {
            return parseComparison(term);
        }
        if (term.text.compare(QLatin1String("star"), Qt::CaseInsensitive) == 0 ||
            term.text.compare(QLatin1String("starred"), Qt::CaseInsensitive) == 0) {
            return std::make_unique<Starred>();
        }
        return std::make_unique<Word>(term.text);
    }

    NodePtr parsePrefixed(const Token& term)
    {
        static const QStringList kPrefixes{"tag",       "name",       "notes", "state",
                                           "estimator", "experiment", "data"};
        const QString prefix = term.text.chopped(1).toLower();
        if (!kPrefixes.contains(prefix)) {
            return failAt(term, message("'%1' is not a prefix; these are: %2.")
                                    .arg(term.text, kPrefixes.join(QStringLiteral(":, ")) + ':'));
        }
        if (peek().kind != Token::Kind::Word && peek().kind != Token::Kind::Quoted) {
            return failAt(term, message("A text is missing after '%1'.").arg(term.text));
        }
        return std::make_unique<Prefixed>(prefix, take().text);
    }

    NodePtr parseComparison(const Token& field)
    {
        const Token op = take();
        const std::optional<Operator> known = operatorOf(op.text);
        if (!known) {
            return failAt(
                op, message("'%1' is not a comparison; these are: = != < <= > >= ~").arg(op.text));
        }
        if (peek().kind != Token::Kind::Word && peek().kind != Token::Kind::Quoted) {
            return failAt(op, message("A value is missing after '%1'.").arg(op.text));
        }
        const Token value = take();
        const bool isOrder = *known != Operator::Equal && *known != Operator::NotEqual &&
                             *known != Operator::Contains;
        if (isOrder && !numberOf(value.text)) {
            return failAt(
                value,
                message("'%1' compares with a number, and '%2' is none.").arg(op.text, value.text));
        }
        return std::make_unique<Comparison>(field.text, *known, value.text);
    }

    static std::optional<Operator> operatorOf(const QString& text)
    {
        static const QHash<QString, Operator> kOperators{
            {"=", Operator::Equal},           {"==", Operator::Equal},
            {"!=", Operator::NotEqual},       {"<", Operator::Less},
            {"<=", Operator::LessOrEqual},    {">", Operator::Greater},
            {">=", Operator::GreaterOrEqual}, {"~", Operator::Contains}};
        const auto found = kOperators.find(text);
        return found == kOperators.end() ? std::nullopt : std::optional<Operator>(*found);
    }

    std::vector<Token> m_tokens;
    std::optional<FilterError>& m_error;
    std::size_t m_at = 0;
    int m_depth = 0;
};

} // namespace

RunFilter RunFilter::parse(const QString& text)
{
    RunFilter filter;
    filter.m_text = text;
    if (text.trimmed().isEmpty()) {
        return filter;
    }
    std::vector<Token> tokens = Lexer(text).tokens(filter.m_error);
    if (!filter.m_error) {
        filter.m_root = Parser(std::move(tokens), filter.m_error).parseAll();
    }
    return filter;
}

bool RunFilter::matches(const RunRow& run) const
{
    return !m_root || m_root->matches(run);
}

QString RunFilter::unknownField(const QList<RunRow>& runs) const
{
    if (!m_root) {
        return {};
    }
    QStringList fields;
    m_root->collectFields(fields);
    for (const QString& field : std::as_const(fields)) {
        const bool isKnown = std::any_of(runs.begin(), runs.end(), [&](const RunRow& run) {
            return !fieldTexts(run, field).isEmpty();
        });
        if (!isKnown) {
            return field;
        }
    }
    return {};
}

} // namespace cannery::ui
