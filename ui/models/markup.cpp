// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/markup.h"

#include <QRegularExpression>

namespace cannery::ui {
namespace {

/// An allowed tag at its beginning. Without quotes and "<" inside, and styles without "(": url(…)
/// would load something.
const QRegularExpression& keptTag()
{
    static const QRegularExpression kKept(
        QStringLiteral(R"(\G<(?:/?(?:a|b|span)|br|a href="[^"<>]*"|span style="[\w:#; -]*")>)"));
    return kKept;
}

qsizetype keptLength(const QString& markup, qsizetype at)
{
    const QRegularExpressionMatch match = keptTag().match(markup, at);
    return match.hasMatch() ? match.capturedLength() : 0;
}

} // namespace

QString withLinksOnly(const QString& markup)
{
    QString safe;
    safe.reserve(markup.size());
    for (qsizetype i = 0; i < markup.size();) {
        if (markup[i] != u'<') {
            safe += markup[i++];
            continue;
        }
        const qsizetype kept = keptLength(markup, i);
        safe += kept > 0 ? markup.mid(i, kept) : QStringLiteral("&lt;");
        i += kept > 0 ? kept : 1;
    }
    return safe;
}

QString plainOf(const QString& markup)
{
    QString plain;
    plain.reserve(markup.size());
    for (qsizetype i = 0; i < markup.size();) {
        const qsizetype kept = markup[i] == u'<' ? keptLength(markup, i) : 0;
        if (kept == 0) {
            plain += markup[i];
        }
        i += kept > 0 ? kept : 1;
    }
    return plain.replace(QLatin1String("&nbsp;"), QLatin1String(" "))
        .replace(QLatin1String("&lt;"), QLatin1String("<"))
        .replace(QLatin1String("&gt;"), QLatin1String(">"))
        .replace(QLatin1String("&quot;"), QLatin1String("\""))
        .replace(QLatin1String("&amp;"), QLatin1String("&"));
}

} // namespace cannery::ui
