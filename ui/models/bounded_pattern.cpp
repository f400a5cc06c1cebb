// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/bounded_pattern.h"

#include <QCoreApplication>
#include <QElapsedTimer>

namespace cannery::ui {
namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(BoundedPattern)
};

// A limit of PCRE2 per start position. A pattern can only lower it.
const auto kLimits = QStringLiteral("(*LIMIT_MATCH=10000)(*LIMIT_DEPTH=500)(*LIMIT_HEAP=1024)");

} // namespace

BoundedPattern::BoundedPattern(const QString& pattern, QRegularExpression::PatternOptions options)
{
    if (pattern.size() > kLongest) {
        m_problem = Words::tr("The pattern has %1 characters; use at most %2.")
                        .arg(pattern.size())
                        .arg(kLongest);
        return;
    }
    const QRegularExpression plain(pattern, options);
    if (!plain.isValid()) {
        m_problem = Words::tr("This is not a regular expression: %1.").arg(plain.errorString());
        return;
    }
    m_expression = QRegularExpression(kLimits + pattern, options);
    m_expression.optimize();
}

bool BoundedPattern::matches(const QString& text) const
{
    if (!isValid()) {
        return false;
    }
    QElapsedTimer clock;
    clock.start();
    const QString subject = text.size() > kLongestSubject ? text.left(kLongestSubject) : text;
    const QRegularExpressionMatch match = m_expression.match(subject);
    m_spent += clock.nsecsElapsed();
    if (!match.isValid() || m_spent > kMostMilliseconds * 1'000'000) {
        m_problem = Words::tr("This pattern takes too long; avoid nested repeats "
                              "such as (a*)*.");
        return false;
    }
    return match.hasMatch();
}

} // namespace cannery::ui
