// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/style/painting.h"

#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <QPixmapCache>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

struct Shadow
{
    int blur;
    int down;
    int lightPercent;
    int darkPercent;
};

Shadow shadowOf(Elevation elevation)
{
    return elevation == Elevation::Menu ? Shadow{10, 4, 14, 40} : Shadow{24, 8, 25, 45};
}

/// One picture with all nine slices: a small rounded rectangle whose outline fades outwards.
QPixmap shadowPicture(const Shadow& shadow, int radius, qreal ratio)
{
    const bool dark = tokens().isDark;
    const QString key =
        QString("cannery-shadow-%1-%2-%3-%4").arg(shadow.blur).arg(radius).arg(ratio).arg(dark);
    QPixmap picture;
    if (QPixmapCache::find(key, &picture)) {
        return picture;
    }
    const int side = 2 * (shadow.blur + radius) + 2;
    picture = QPixmap(QSize(side, side) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const double strongest = (dark ? shadow.darkPercent : shadow.lightPercent) / 100.0;
    double laid = 0;
    // Rings are laid over each other from the outside in. What a ring adds is chosen such that all
    // up to it cover `wanted`: 1 - (1 - laid) (1 - alpha) = wanted.
    for (int ring = shadow.blur; ring >= 0; --ring) {
        const double share = 1 - static_cast<double>(ring) / (shadow.blur + 1);
        const double wanted = strongest * share * share;
        const double alpha = (wanted - laid) / (1 - laid);
        laid = wanted;
        painter.setBrush(QColor::fromRgbF(0.06F, 0.08F, 0.10F, static_cast<float>(alpha)));
        const double inset = shadow.blur - ring;
        painter.drawRoundedRect(QRectF(0, 0, side, side).adjusted(inset, inset, -inset, -inset),
                                radius + ring, radius + ring);
    }
    painter.end();
    QPixmapCache::insert(key, picture);
    return picture;
}

double luminance(const QColor& colour)
{
    // Relative luminance as WCAG 2 defines it, from sRGB.
    const auto linear = [](float channel) {
        return channel <= 0.04045F ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

} // namespace

void paintFocusRing(QPainter& painter, const QRectF& where, double radius, const QColor& colour)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(where.adjusted(1, 1, -1, -1), radius - 1, radius - 1);
    painter.restore();
}

void paintFocusRing(QPainter& painter, const QRectF& where, double radius)
{
    paintFocusRing(painter, where, radius, tokens().accent);
}

int shadowMargin(Elevation elevation)
{
    const Shadow shadow = shadowOf(elevation);
    return shadow.blur + shadow.down;
}

void paintShadow(QPainter& painter, const QRectF& surface, double radius, Elevation elevation)
{
    const Shadow shadow = shadowOf(elevation);
    const int corner = static_cast<int>(std::lround(radius));
    const qreal ratio = painter.device()->devicePixelRatioF();
    const QPixmap picture = shadowPicture(shadow, corner, ratio);
    const double slice = shadow.blur + corner;
    const QRectF all = surface.adjusted(-shadow.blur, -shadow.blur, shadow.blur, shadow.blur)
                           .translated(0, shadow.down);
    const double side = picture.width() / ratio;
    const double xs[] = {all.left(), all.left() + slice, all.right() - slice, all.right()};
    const double ys[] = {all.top(), all.top() + slice, all.bottom() - slice, all.bottom()};
    const double us[] = {0, slice, side - slice, side};
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            const QRectF target(QPointF(xs[column], ys[row]), QPointF(xs[column + 1], ys[row + 1]));
            const QRectF source(QPointF(us[column], us[row]) * ratio,
                                QPointF(us[column + 1], us[row + 1]) * ratio);
            painter.drawPixmap(target, picture, source);
        }
    }
}

void paintSurface(QPainter& painter, const QRectF& where, double radius, const QColor& fill,
                  const QColor& outline)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(fill.isValid() ? QBrush(fill) : Qt::NoBrush);
    if (outline.isValid()) {
        painter.setPen(QPen(outline, 1));
        // A line of one pixel lies on pixels only if its middle does: half a pixel inwards.
        painter.drawRoundedRect(where.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    } else {
        painter.setPen(Qt::NoPen);
        painter.drawRoundedRect(where, radius, radius);
    }
    painter.restore();
}

void paintWords(QPainter& painter, const QRectF& where, int flags, const QString& text)
{
    const int kDirections = Qt::TextForceLeftToRight | Qt::TextForceRightToLeft;
    const int kAlignments = Qt::AlignHorizontal_Mask | Qt::AlignVertical_Mask;
    // Alignment follows the window, the order of words within the line follows the text.
    const Qt::LayoutDirection window = (flags & kDirections) == 0 ? painter.layoutDirection()
                                       : (flags & Qt::TextForceRightToLeft) != 0 ? Qt::RightToLeft
                                                                                 : Qt::LeftToRight;
    const Qt::Alignment alignment =
        QStyle::visualAlignment(window, Qt::Alignment::fromInt(flags & kAlignments));
    const int direction =
        text.isRightToLeft() ? Qt::TextForceRightToLeft : Qt::TextForceLeftToRight;
    painter.drawText(where, (flags & ~(kDirections | kAlignments)) | alignment.toInt() | direction,
                     text);
}

QColor mixed(const QColor& under, const QColor& over, double share)
{
    const auto mix = [share](float a, float b) {
        return static_cast<float>(a + (b - a) * std::clamp(share, 0.0, 1.0));
    };
    return QColor::fromRgbF(mix(under.redF(), over.redF()), mix(under.greenF(), over.greenF()),
                            mix(under.blueF(), over.blueF()));
}

double contrast(const QColor& a, const QColor& b)
{
    // WCAG's allowance for light that a screen reflects.
    constexpr double kFlare = 0.05;
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + kFlare) / (std::min(first, second) + kFlare);
}

} // namespace cannery::ui
