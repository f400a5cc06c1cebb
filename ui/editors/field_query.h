// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QStringList>

namespace cannery::ui {

/// What a person types to find fields of a form: words, each of which a field must have.
class FieldQuery
{
public:
    FieldQuery() = default;
    explicit FieldQuery(const QString& typed);

    bool isEmpty() const { return m_words.isEmpty(); }
    /// A word is within the label, or within the last name of the path ("l2"); one with a dot is
    /// anywhere in the path ("dnn_optimizer.adam"). In the help it begins a word.
    bool matches(const QString& label, const QString& path, const QString& help) const;

    bool operator==(const FieldQuery&) const = default;

private:
    QStringList m_words; ///< folded to one case
};

} // namespace cannery::ui
