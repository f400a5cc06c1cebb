// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QRegularExpression>
#include <QString>

namespace cannery::ui {

/// A regular expression that a person types, or that comes with a project's view: whatever it is,
/// asking it ends soon. The pattern has at most 1,000 letters, of a text the first 2,000 are looked
/// at, every match takes a bounded number of steps, and all matches together a bounded time;
/// afterwards nothing matches, and problem() says so. One thread at a time.
class BoundedPattern
{
public:
    BoundedPattern() = default;
    explicit BoundedPattern(const QString& pattern,
                            QRegularExpression::PatternOptions options = {});

    bool isValid() const { return m_problem.isEmpty(); }
    /// Why it does not work, a sentence; empty while it does.
    const QString& problem() const { return m_problem; }

    /// Whether it matches somewhere in the text. False once it has turned out to be too slow.
    bool matches(const QString& text) const;

    static constexpr int kLongest = 1000;
    static constexpr int kLongestSubject = 2000;
    static constexpr qint64 kMostMilliseconds = 250;

private:
    QRegularExpression m_expression;
    mutable QString m_problem;
    mutable qint64 m_spent = 0; ///< nanoseconds
};

} // namespace cannery::ui
