// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/command_line.h"

#include <algorithm>

namespace cannery::ui {
namespace {

/// Characters that have no special meaning in any shell.
bool isPlain(QChar c)
{
    return (c.unicode() < 128 && c.isLetterOrNumber()) || QStringView(u"-_./:,@%+").contains(c);
}

} // namespace

QString shellQuoted(const QString& word)
{
    if (!word.isEmpty() && std::all_of(word.begin(), word.end(), isPlain)) {
        return word;
    }
    return u'\'' + QString(word).replace(u'\'', QStringLiteral("'\\''")) + u'\'';
}

QString CommandLine::display() const
{
    QStringList words{QStringLiteral("cannery")};
    for (const QString& argument : arguments) {
        words << shellQuoted(argument);
    }
    return words.join(u' ');
}

} // namespace cannery::ui
