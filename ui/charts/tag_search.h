// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace cannery::ui {

/// Finds tags by plain text or a regular expression, any case. For plain text all tags are one, so
/// that 20,000 of them cost a few milliseconds and not 20,000 calls.
class TagSearch
{
public:
    explicit TagSearch(const QStringList& tags);

    /// In their order; all of an empty filter. What is not a regular expression is plain text; one
    /// that takes too long finds nothing more.
    QStringList matching(const QString& filter) const;

private:
    /// Appends every tag in whose line `find` finds something: give it a place to begin, it
    /// returns where a match begins and ends.
    template <typename Find>
    QStringList collect(const Find& find) const;

    QStringList m_tags;
    QString m_text;    ///< a tag a line
    QString m_lowered; ///< the same in small letters
    std::vector<qsizetype> m_starts;
};

} // namespace cannery::ui
