// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/window_locale.h"

#include <QGuiApplication>

#include <algorithm>

namespace cannery::ui {
namespace {

bool hasOurDigits(const QLocale& locale)
{
    return locale.zeroDigit() == QLatin1String("0");
}

/// Also the decimal mark of files.
bool isAsInFiles(const QLocale& locale)
{
    return hasOurDigits(locale) && locale.decimalPoint() == QLatin1String(".");
}

} // namespace

QLocale windowLocale(const QLocale& desktop)
{
    if (hasOurDigits(desktop)) {
        return desktop;
    }
    // Many languages have other digits in some countries only.
    const QList<QLocale> related =
        QLocale::matchingLocales(desktop.language(), desktop.script(), QLocale::AnyTerritory);
    for (const auto fits : {&isAsInFiles, &hasOurDigits}) {
        const auto found = std::find_if(related.begin(), related.end(), fits);
        if (found != related.end()) {
            return *found;
        }
    }
    return QLocale(QLocale::English);
}

void useLanguage(const QLocale& desktop)
{
    QLocale::setDefault(windowLocale(desktop));
    QGuiApplication::setLayoutDirection(desktop.textDirection());
}

} // namespace cannery::ui
