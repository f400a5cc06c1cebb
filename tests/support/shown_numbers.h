// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLocale>
#include <QRegularExpression>
#include <QString>

namespace cannery::tests {

/// An English text with its numbers as the window's locale writes them: "1,234 of 30.5" is
/// "1.234 of 30,5" in German. Tests state numbers through this, and so also run in German.
inline QString shownNumbers(const QString& english)
{
    static const QRegularExpression kNumber(R"(\d{1,3}(,\d{3})+(\.\d+)?|\d+\.\d+)");
    const QLocale locale;
    QString shown;
    qsizetype end = 0;
    auto numbers = kNumber.globalMatch(english);
    while (numbers.hasNext()) {
        const QRegularExpressionMatch number = numbers.next();
        shown += english.mid(end, number.capturedStart() - end);
        for (const QChar letter : number.captured()) {
            shown += letter == u','   ? locale.groupSeparator()
                     : letter == u'.' ? locale.decimalPoint()
                                      : QString(letter);
        }
        end = number.capturedEnd();
    }
    return shown + english.mid(end);
}

/// Numbers of a field that takes several: "11, 40", and "11; 40" where the comma is the decimal
/// mark.
inline QString shownList(QString english)
{
    return QLocale().decimalPoint() == QLatin1String(",")
               ? english.replace(QLatin1String(", "), QLatin1String("; "))
               : english;
}

} // namespace cannery::tests
