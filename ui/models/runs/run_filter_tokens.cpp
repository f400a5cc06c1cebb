// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/run_filter_tokens.h"

#include <QCoreApplication>

#include <utility>

namespace cannery::ui {

namespace {

bool isOperatorLetter(QChar letter)
{
    return QStringLiteral("=!<>~").contains(letter);
}

class FilterLexer
{
public:
    explicit FilterLexer(const QString& text) : m_text(text) {}

    std::vector<FilterToken> tokens(std::optional<FilterError>& error)
    {
        std::vector<FilterToken> found;
        while (m_at < m_text.size() && !error) {
            if (m_text.at(m_at).isSpace()) {
                ++m_at;
                continue;
            }
            const qsizetype begin = m_at;
            FilterToken token = next(error);
            token.position = begin;
            token.length = m_at - begin;
            found.push_back(std::move(token));
        }
        found.push_back({FilterToken::Kind::End, {}, m_text.size(), 0});
        return found;
    }

private:
    FilterToken next(std::optional<FilterError>& error)
    {
        const QChar letter = m_text.at(m_at);
        if (letter == '(' || letter == ')') {
            ++m_at;
            return {letter == '(' ? FilterToken::Kind::Open : FilterToken::Kind::Close, letter};
        }
        if (letter == '"' || letter == '\'') {
            return {FilterToken::Kind::Quoted, quoted(letter, error)};
        }
        if (isOperatorLetter(letter)) {
            const qsizetype begin = m_at;
            while (m_at < m_text.size() && isOperatorLetter(m_text.at(m_at))) {
                ++m_at;
            }
            return {FilterToken::Kind::Operator, m_text.mid(begin, m_at - begin)};
        }
        return {FilterToken::Kind::Word, word()};
    }

    QString quoted(QChar mark, std::optional<FilterError>& error)
    {
        const qsizetype begin = m_at++;
        const qsizetype end = m_text.indexOf(mark, m_at);
        if (end < 0) {
            error =
                FilterError{begin, m_text.size() - begin,
                            QCoreApplication::translate("RunFilter", "Unmatched quotation mark.")};
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

} // namespace

std::vector<FilterToken> filterTokens(const QString& text, std::optional<FilterError>& error)
{
    return FilterLexer(text).tokens(error);
}

} // namespace cannery::ui
