// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/field_query.h"

#include <algorithm>

namespace cannery::ui {
namespace {

/// Whether a word of the text begins with `word`: "rate" is no part of "separate".
bool hasWordThatBegins(const QString& text, const QString& word)
{
    for (qsizetype at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
        if (at == 0 || !text.at(at - 1).isLetterOrNumber()) {
            return true;
        }
    }
    return false;
}

} // namespace

FieldQuery::FieldQuery(const QString& typed)
    : m_words(typed.toCaseFolded().simplified().split(u' ', Qt::SkipEmptyParts))
{}

bool FieldQuery::matches(const QString& label, const QString& path, const QString& help) const
{
    const QString name = path.section(u'.', -1);
    return std::all_of(m_words.begin(), m_words.end(), [&](const QString& word) {
        return label.contains(word, Qt::CaseInsensitive) ||
               (word.contains(u'.') ? path : name).contains(word, Qt::CaseInsensitive) ||
               hasWordThatBegins(help.toCaseFolded(), word);
    });
}

} // namespace cannery::ui
