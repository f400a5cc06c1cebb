// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QRegularExpression>
#include <QString>

namespace cannery::ui {

/// A regular expression that a user types or that comes with a project's view, with limits on its
/// cost: at most 1,000 characters, only the first 2,000 characters of a text are searched, every
/// match takes a bounded number of steps, and all matches together a bounded time; after that
/// nothing matches, and problem() says so. One thread at a time.
class BoundedPattern
{
public:
    BoundedPattern() = default;
    explicit BoundedPattern(const QString& pattern,
                            QRegularExpression::PatternOptions options = {});

    bool isValid() const { return m_problem.isEmpty(); }
    /// Why it does not work, a sentence; empty while it does.
    const QString& problem() const { return m_problem; }

    /// Whether it matches anywhere in the text. False once it has turned out to be too slow.
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
