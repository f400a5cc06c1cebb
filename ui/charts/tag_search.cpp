#include "ui/charts/tag_search.h"

#include <QRegularExpression>

#include <algorithm>

namespace cannery::ui {
namespace {

struct Match
{
    qsizetype begin = -1;
    qsizetype end = -1;
};

bool isPlain(const QString& filter)
{
    static const QString kSpecial = QStringLiteral("\\^$.|?*+()[]{}");
    return std::ranges::none_of(filter, [](QChar c) { return kSpecial.contains(c); });
}

} // namespace

TagSearch::TagSearch(const QStringList& tags) : m_tags(tags)
{
    m_starts.reserve(size_t(tags.size()));
    for (const QString& tag : tags) {
        m_starts.push_back(m_text.size());
        m_text += tag;
        m_text += '\n';
    }
    m_lowered = m_text.toLower();
    if (m_lowered.size() != m_text.size()) {
        // Letters whose small form is longer: places would no longer agree.
        m_lowered.clear();
    }
}

template <typename Find>
QStringList TagSearch::collect(const Find& find) const
{
    QStringList found;
    qsizetype from = 0;
    while (from < m_text.size()) {
        const Match match = find(from);
        if (match.begin < 0) {
            break;
        }
        const auto next = std::ranges::upper_bound(m_starts, match.begin);
        const qsizetype line = next - m_starts.begin() - 1;
        const qsizetype lineEnd = next == m_starts.end() ? m_text.size() : *next;
        if (match.end < lineEnd) {
            found += m_tags[line];
        }
        from = lineEnd;
    }
    return found;
}

QStringList TagSearch::matching(const QString& filter) const
{
    if (filter.isEmpty()) {
        return m_tags;
    }
    QRegularExpression expression(filter, QRegularExpression::CaseInsensitiveOption |
                                              QRegularExpression::MultilineOption);
    if (!expression.isValid()) {
        expression.setPattern(QRegularExpression::escape(filter));
    } else if (isPlain(filter) && !m_lowered.isEmpty()) {
        const QString lowered = filter.toLower();
        return collect([&](qsizetype from) {
            const qsizetype at = m_lowered.indexOf(lowered, from);
            return at < 0 ? Match() : Match{at, at + lowered.size()};
        });
    }
    expression.optimize();
    return collect([&](qsizetype from) {
        const QRegularExpressionMatch match =
            expression.match(m_text, from, QRegularExpression::NormalMatch,
                             QRegularExpression::DontCheckSubjectStringMatchOption);
        if (!match.hasMatch()) {
            return Match();
        }
        const auto next = std::ranges::upper_bound(m_starts, match.capturedStart());
        const qsizetype lineEnd = next == m_starts.end() ? m_text.size() : *next;
        if (match.capturedEnd() < lineEnd) {
            return Match{match.capturedStart(), match.capturedEnd()};
        }
        // It runs over the end of the line ([^/] takes a line break too): asked of the tag alone.
        const auto line = qsizetype(next - m_starts.begin()) - 1;
        const bool isOwn = expression.match(m_tags[line]).hasMatch();
        return Match{match.capturedStart(), isOwn ? match.capturedStart() : lineEnd};
    });
}

} // namespace cannery::ui
