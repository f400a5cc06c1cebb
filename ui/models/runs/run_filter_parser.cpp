// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/run_filter_parser.h"

#include "ui/models/runs/run_fields.h"
#include "ui/models/runs/run_filter_tokens.h"

#include <QCoreApplication>
#include <QHash>

#include <algorithm>
#include <utility>
#include <vector>

namespace cannery::ui {

namespace {

/// The maximum nesting of brackets and "not": each level uses stack.
constexpr int kDeepest = 100;

QString message(const char* text)
{
    return QCoreApplication::translate("RunFilter", text);
}

class FilterParser
{
public:
    FilterParser(std::vector<FilterToken> tokens, std::optional<FilterError>& error)
        : m_tokens(std::move(tokens)), m_error(error)
    {}

    FilterTerm parseAll()
    {
        FilterTerm root = parseOr();
        if (!m_error && peek().kind != FilterToken::Kind::End) {
            failAt(peek(), message("Unmatched ')'."));
        }
        return m_error ? nullptr : std::move(root);
    }

private:
    const FilterToken& peek() const { return m_tokens[m_at]; }
    // Never past the last token, End, so that peek() always has one.
    const FilterToken& take() { return m_tokens[m_at + 1 < m_tokens.size() ? m_at++ : m_at]; }
    bool isWord(const char* word) const
    {
        return peek().kind == FilterToken::Kind::Word &&
               peek().text.compare(QLatin1String(word), Qt::CaseInsensitive) == 0;
    }
    FilterTerm failAt(const FilterToken& token, const QString& sentence)
    {
        // The first error is kept: those after it are mostly its consequences.
        if (!m_error) {
            m_error = FilterError{token.position, std::max<qsizetype>(1, token.length), sentence};
        }
        return nullptr;
    }

    /// "or" binds more loosely than "and"; two terms side by side are joined by "and".
    FilterTerm parseOr()
    {
        std::vector<FilterTerm> parts;
        parts.push_back(parseAnd());
        while (!m_error && isWord("or")) {
            take();
            parts.push_back(parseAnd());
        }
        if (m_error) {
            return nullptr;
        }
        return parts.size() == 1 ? std::move(parts.front()) : anyOf(std::move(parts));
    }

    FilterTerm parseAnd()
    {
        std::vector<FilterTerm> parts;
        parts.push_back(parseUnary());
        while (!m_error && peek().kind != FilterToken::Kind::End &&
               peek().kind != FilterToken::Kind::Close && !isWord("or")) {
            if (isWord("and")) {
                take();
            }
            parts.push_back(parseUnary());
        }
        if (m_error) {
            return nullptr;
        }
        return parts.size() == 1 ? std::move(parts.front()) : allOf(std::move(parts));
    }

    FilterTerm parseUnary()
    {
        if (m_depth >= kDeepest) {
            return failAt(peek(), message("Brackets and 'not' are nested more than %1 deep; "
                                          "simplify the filter.")
                                      .arg(kDeepest));
        }
        ++m_depth;
        FilterTerm part = parseWithin();
        --m_depth;
        return part;
    }

    FilterTerm parseWithin()
    {
        if (isWord("not")) {
            take();
            FilterTerm part = parseUnary();
            return m_error ? nullptr : noneOf(std::move(part));
        }
        if (peek().kind == FilterToken::Kind::Open) {
            return parseBrackets();
        }
        // A quoted word is never a field or "not".
        if (peek().kind == FilterToken::Kind::Quoted) {
            return containsWord(take().text);
        }
        if (peek().kind != FilterToken::Kind::Word || isWord("and") || isWord("or")) {
            return failAt(peek(), missingPart());
        }
        return parseTerm();
    }

    QString missingPart() const
    {
        if (peek().kind == FilterToken::Kind::Operator) {
            return message("A field is missing before '%1'; write, for example: auc > 0.9")
                .arg(peek().text);
        }
        if (m_at > 0) {
            return message("Something is missing after '%1'.").arg(m_tokens[m_at - 1].text);
        }
        return message("The filter begins with '%1'; write, for example: tag:best and auc > 0.9")
            .arg(peek().text);
    }

    FilterTerm parseBrackets()
    {
        const FilterToken open = take();
        FilterTerm inside = parseOr();
        if (m_error) {
            return nullptr;
        }
        if (peek().kind != FilterToken::Kind::Close) {
            // At the bracket that stays open: the end of the text is not where it is mended.
            return failAt(open, message("Unmatched '('."));
        }
        take();
        return inside;
    }

    FilterTerm parseTerm()
    {
        const FilterToken term = take();
        if (term.text.endsWith(':')) {
            return parsePrefixed(term);
        }
        if (peek().kind == FilterToken::Kind::Operator) {
            return parseComparison(term);
        }
        if (term.text.compare(QLatin1String("star"), Qt::CaseInsensitive) == 0 ||
            term.text.compare(QLatin1String("starred"), Qt::CaseInsensitive) == 0) {
            return isStarred();
        }
        return containsWord(term.text);
    }

    FilterTerm parsePrefixed(const FilterToken& term)
    {
        static const QStringList kPrefixes{"tag",       "name",       "notes", "state",
                                           "estimator", "experiment", "data"};
        const QString prefix = term.text.chopped(1).toLower();
        if (!kPrefixes.contains(prefix)) {
            return failAt(term, message("'%1' is not a prefix; use one of: %2.")
                                    .arg(term.text, kPrefixes.join(QStringLiteral(":, ")) + ':'));
        }
        if (peek().kind != FilterToken::Kind::Word && peek().kind != FilterToken::Kind::Quoted) {
            return failAt(term, message("A text is missing after '%1'.").arg(term.text));
        }
        return prefixed(prefix, take().text);
    }

    FilterTerm parseComparison(const FilterToken& field)
    {
        const FilterToken op = take();
        const std::optional<FilterOperator> known = operatorOf(op.text);
        if (!known) {
            return failAt(
                op, message("'%1' is not a comparison; use one of: = != < <= > >= ~").arg(op.text));
        }
        if (peek().kind != FilterToken::Kind::Word && peek().kind != FilterToken::Kind::Quoted) {
            return failAt(op, message("A value is missing after '%1'.").arg(op.text));
        }
        const FilterToken value = take();
        const bool isOrder = *known != FilterOperator::Equal &&
                             *known != FilterOperator::NotEqual &&
                             *known != FilterOperator::Contains;
        // An order is that of numbers. A text is an error at once, not a filter that finds nothing.
        if (isOrder && !numberOf(value.text)) {
            return failAt(value, message("'%1' compares numbers, and '%2' is not a number.")
                                     .arg(op.text, value.text));
        }
        return comparison(field.text, *known, value.text);
    }

    static std::optional<FilterOperator> operatorOf(const QString& text)
    {
        static const QHash<QString, FilterOperator> kOperators{
            {"=", FilterOperator::Equal},           {"==", FilterOperator::Equal},
            {"!=", FilterOperator::NotEqual},       {"<", FilterOperator::Less},
            {"<=", FilterOperator::LessOrEqual},    {">", FilterOperator::Greater},
            {">=", FilterOperator::GreaterOrEqual}, {"~", FilterOperator::Contains}};
        const auto found = kOperators.find(text);
        return found == kOperators.end() ? std::nullopt : std::optional<FilterOperator>(*found);
    }

    std::vector<FilterToken> m_tokens;
    std::optional<FilterError>& m_error;
    std::size_t m_at = 0;
    int m_depth = 0;
};

} // namespace

FilterTerm parseFilter(const QString& text, std::optional<FilterError>& error)
{
    std::vector<FilterToken> tokens = filterTokens(text, error);
    return error ? nullptr : FilterParser(std::move(tokens), error).parseAll();
}

} // namespace cannery::ui
