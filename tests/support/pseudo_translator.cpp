// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pseudo_translator.h"

#include <QHash>

#include <cstring>

namespace cannery::tests {

QString pseudoText(const QString& source)
{
    static const QHash<QChar, QChar> kAccents{{'a', u'á'}, {'e', u'é'}, {'i', u'í'}, {'o', u'ö'},
                                              {'u', u'ü'}, {'A', u'Å'}, {'E', u'È'}, {'n', u'ñ'}};
    QString text;
    int letters = 0;
    bool inTag = false;
    for (int i = 0; i < source.size(); ++i) {
        const QChar c = source[i];
        inTag = inTag || c == '<';
        const bool isPlace = c == '%' || c == '&';
        text += inTag || isPlace ? c : kAccents.value(c, c);
        if (isPlace && i + 1 < source.size()) {
            text += source[++i];
        }
        letters += inTag ? 0 : 1;
        inTag = inTag && c != '>';
    }
    const bool asksMore = text.endsWith(u'…');
    if (asksMore) {
        text.chop(1);
    }
    text += QString((letters + 1) / 2, u'ø');
    return asksMore ? text + u'…' : text;
}

QString PseudoTranslator::translate(const char* context, const char* source,
                                    const char* /*disambiguation*/, int /*n*/) const
{
    // Qt's own texts, and formats of dates, are no words of ours.
    if (!context || std::strncmp(context, "Q", 1) == 0 || !source || !*source) {
        return {};
    }
    const QString text = QString::fromUtf8(source);
    return text.startsWith("d MMMM") ? text : pseudoText(text);
}

} // namespace cannery::tests
