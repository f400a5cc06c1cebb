// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/tag_search.h"

#include "ui/models/bounded_pattern.h"

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
        // Letters whose lower case is longer: positions would no longer match.
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
    const QRegularExpression::PatternOptions anyCase = QRegularExpression::CaseInsensitiveOption;
    BoundedPattern pattern(filter, anyCase);
    const bool isText = isPlain(filter) || !pattern.isValid();
    if (isText && !m_lowered.isEmpty()) {
        const QString lowered = filter.toLower();
        return collect([&](qsizetype from) {
            const qsizetype at = m_lowered.indexOf(lowered, from);
            return at < 0 ? Match() : Match{at, at + lowered.size()};
        });
    }
    if (isText) {
        pattern = BoundedPattern(QRegularExpression::escape(filter), anyCase);
    }
    QStringList found;
    for (const QString& tag : m_tags) {
        if (pattern.matches(tag)) {
            found += tag;
        }
    }
    return found;
}

} // namespace cannery::ui
