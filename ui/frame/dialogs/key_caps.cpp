// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/dialogs/key_caps.h"

#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace cannery::ui {
namespace {

constexpr int kHeight = 18;
constexpr int kSide = 5;
constexpr int kGap = 4;

int capWidth(const QFontMetrics& metrics, const QString& key)
{
    return qMax(scaled(kHeight), metrics.horizontalAdvance(key) + 2 * scaled(kSide));
}

int capHeight(const QFontMetrics& metrics)
{
    return qMax(scaled(kHeight), metrics.height() + 2);
}

} // namespace

QSize keyCapsSize(const QStringList& keys)
{
    const QFontMetrics metrics(textFont(TextRole::Badge));
    int width = 0;
    for (const QString& key : keys) {
        width += capWidth(metrics, key) + (width > 0 ? scaled(kGap) : 0);
    }
    return {width, capHeight(metrics)};
}

void paintKeyCaps(QPainter& painter, const QRect& where, const QStringList& keys)
{
    QFont font = textFont(TextRole::Badge);
    font.setWeight(QFont::Medium);
    painter.setFont(font);
    const QFontMetrics metrics(textFont(TextRole::Badge));
    const int height = capHeight(metrics);
    int x = where.left();
    for (const QString& key : keys) {
        const QRect cap(x, where.center().y() - height / 2 + 1, capWidth(metrics, key), height);
        paintSurface(painter, cap, 4, tokens().idleBg);
        painter.setPen(tokens().text2);
        paintWords(painter, cap, Qt::AlignCenter, key);
        x += cap.width() + scaled(kGap);
    }
}

QStringList keyParts(const QString& shortcut)
{
    QStringList parts = shortcut.split('+');
    // Of "Ctrl++", the key is the plus.
    if (shortcut.endsWith('+')) {
        parts.removeLast();
        parts.last() = "+";
    }
    return parts;
}

} // namespace cannery::ui
