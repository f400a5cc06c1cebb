// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/run_filter_parser.h"

#include "core/filter/filter_syntax.h"
#include "ui/models/runs/run_fields.h"
#include "ui/models/runs/run_filter_terms.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>
#include <vector>

namespace cannery::ui {

namespace {

using filter::Node;
using filter::Sign;
using filter::SyntaxError;
using filter::Token;

QString message(const char* text)
{
    return QCoreApplication::translate("RunFilter", text);
}

QString textOf(const Token& token)
{
    return QString::fromStdString(token.text);
}

FilterError errorAt(const Token& token, const QString& sentence)
{
    return {qsizetype(token.position), std::max<qsizetype>(1, qsizetype(token.length)), sentence};
}

QString missingPart(const SyntaxError& wrong)
{
    if (wrong.at.kind == Token::Kind::Operator) {
        return message("A field is missing before '%1'; write, for example: auc > 0.9")
            .arg(textOf(wrong.at));
    }
    if (!wrong.before.text.empty()) {
        return message("Something is missing after '%1'.").arg(textOf(wrong.before));
    }
    return message("The filter begins with '%1'; write, for example: tag:best and auc > 0.9")
        .arg(textOf(wrong.at));
}

FilterError errorOf(const SyntaxError& wrong)
{
    const Token& at = wrong.at;
    switch (wrong.kind) {
    case SyntaxError::Kind::UnclosedQuotation:
        return errorAt(at, message("Unmatched quotation mark."));
    case SyntaxError::Kind::NoName:
        return errorAt(at, missingPart(wrong));
    case SyntaxError::Kind::NoComparison:
        return errorAt(at, message("'%1' needs a comparison; write, for example: auc > 0.9")
                               .arg(textOf(wrong.name)));
    case SyntaxError::Kind::UnknownSign:
        return errorAt(
            at, message("'%1' is not a comparison; use one of: = != < <= > >= ~").arg(textOf(at)));
    case SyntaxError::Kind::NoValue:
        return errorAt(wrong.before,
                       wrong.before.text.ends_with(':')
                           ? message("A text is missing after '%1'.").arg(textOf(wrong.before))
                           : message("A value is missing after '%1'.").arg(textOf(wrong.before)));
    case SyntaxError::Kind::NotMissing:
        return errorAt(at, message("Only 'missing' can follow 'is'."));
    case SyntaxError::Kind::UnclosedBracket:
        return errorAt(at, message("Unmatched '('."));
    case SyntaxError::Kind::NoList:
        return errorAt(at, message("'in' needs values in brackets; write, for example: in (1, 2)"));
    case SyntaxError::Kind::TooDeep:
        return errorAt(at, message("Brackets and 'not' are nested more than %1 deep; simplify the "
                                   "filter.")
                               .arg(filter::kDeepest));
    case SyntaxError::Kind::Unexpected:
        break;
    }
    return errorAt(at, message("Unmatched ')'."));
}

/// Turns the tree of a filter into terms that match runs.
class TermBuilder
{
public:
    explicit TermBuilder(std::optional<FilterError>& error) : m_error(error) {}

    /// Null after an error, the first of which is kept.
    FilterTerm build(const Node& node)
    {
        switch (node.kind) {
        case Node::Kind::All:
            return joined(allOf, node);
        case Node::Kind::Any:
            return joined(anyOf, node);
        case Node::Kind::Not: {
            FilterTerm part = build(node.parts.front());
            return part ? noneOf(std::move(part)) : nullptr;
        }
        case Node::Kind::Compare:
            return compared(node);
        case Node::Kind::Contains:
            return containsPart(textOf(node.name), textOf(node.values.front()));
        case Node::Kind::OneOf: {
            std::vector<FilterTerm> terms;
            for (const Token& value : node.values) {
                terms.push_back(comparison(textOf(node.name), Sign::Equal, textOf(value)));
            }
            return anyOf(std::move(terms));
        }
        case Node::Kind::Missing:
            return isMissing(textOf(node.name));
        case Node::Kind::Prefixed:
            return withPrefix(node);
        case Node::Kind::Search:
            return searched(node.name);
        }
        return nullptr;
    }

private:
    FilterTerm fail(const Token& token, const QString& sentence)
    {
        if (!m_error) {
            m_error = errorAt(token, sentence);
        }
        return nullptr;
    }

    FilterTerm joined(FilterTerm (*join)(std::vector<FilterTerm>), const Node& node)
    {
        std::vector<FilterTerm> terms;
        for (const Node& part : node.parts) {
            terms.push_back(build(part));
        }
        return m_error ? nullptr : join(std::move(terms));
    }

    FilterTerm compared(const Node& node)
    {
        const QString value = textOf(node.values.front());
        const bool isOrder = node.sign != Sign::Equal && node.sign != Sign::NotEqual;
        // An order is that of numbers. A text is an error at once, not a filter that finds nothing.
        if (isOrder && !numberOf(value)) {
            return fail(node.values.front(),
                        message("'%1' compares numbers, and '%2' is not a number.")
                            .arg(textOf(node.mark), value));
        }
        return comparison(textOf(node.name), node.sign, value);
    }

    FilterTerm withPrefix(const Node& node)
    {
        static const QStringList kPrefixes{"tag",       "name",       "notes", "state",
                                           "estimator", "experiment", "data"};
        const QString prefix = textOf(node.name).toLower();
        if (!kPrefixes.contains(prefix)) {
            return fail(node.name, message("'%1' is not a prefix; use one of: %2.")
                                       .arg(textOf(node.name) + ':',
                                            kPrefixes.join(QStringLiteral(":, ")) + ':'));
        }
        return prefixed(prefix, textOf(node.values.front()));
    }

    /// A quoted word is never the star.
    static FilterTerm searched(const Token& word)
    {
        const QString text = textOf(word);
        const bool isStar = text.compare(QLatin1String("star"), Qt::CaseInsensitive) == 0 ||
                            text.compare(QLatin1String("starred"), Qt::CaseInsensitive) == 0;
        return isStar && word.kind == Token::Kind::Word ? isStarred() : containsWord(text);
    }

    std::optional<FilterError>& m_error;
};

/// From characters to the units of QString, in which a line edit counts.
void countUnits(const QString& text, FilterError& error)
{
    const auto units = [&text](qsizetype characters) {
        qsizetype at = 0;
        for (; characters > 0 && at < text.size(); --characters) {
            at += text.at(at).isHighSurrogate() && at + 1 < text.size() ? 2 : 1;
        }
        return at + characters;
    };
    const qsizetype begin = units(error.position);
    error.length = std::max<qsizetype>(1, units(error.position + error.length) - begin);
    error.position = begin;
}

} // namespace

FilterTerm parseFilter(const QString& text, std::optional<FilterError>& error)
{
    const auto tree = filter::parse(text.toStdString(), filter::Grammar::Search);
    FilterTerm root;
    if (!tree) {
        error = errorOf(tree.error());
    } else if (*tree) {
        root = TermBuilder(error).build(**tree);
    }
    if (error) {
        countUnits(text, *error);
    }
    return root;
}

} // namespace cannery::ui
