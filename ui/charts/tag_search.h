// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace cannery::ui {

/// Finds tags by plain text or a regular expression, case-insensitively. For plain text all tags
/// are one text, so that 20,000 of them take a few milliseconds instead of 20,000 calls.
class TagSearch
{
public:
    explicit TagSearch(const QStringList& tags);

    /// In tag order; all for an empty filter. An invalid regular expression is plain text; one that
    /// takes too long finds nothing more.
    QStringList matching(const QString& filter) const;

private:
    /// Appends every tag in whose line `find` finds something: given a start position, it returns
    /// where a match begins and ends.
    template <typename Find>
    QStringList collect(const Find& find) const;

    QStringList m_tags;
    QString m_text;    ///< one tag per line
    QString m_lowered; ///< m_text in lower case
    std::vector<qsizetype> m_starts;
};

} // namespace cannery::ui
