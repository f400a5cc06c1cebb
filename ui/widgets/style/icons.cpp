// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/style/icons.h"

#include "core/base/check.h"
#include "ui/widgets/resources.h"
#include "ui/widgets/style/theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

QString fileOf(const QString& name)
{
    initialiseResources();
    return QString(":/icons/%1.svg").arg(name);
}

/// Small icons need a heavier stroke to look as grey as large ones.
double strokeFor(int size)
{
    constexpr int kSmall = 12;
    constexpr int kMiddle = 16;
    return size <= kSmall ? 3.0 : size <= kMiddle ? 2.2 : 1.75;
}

QByteArray tintedSvg(const QString& name, const QColor& colour, int size)
{
    QFile file(fileOf(name));
    CANNERY_CHECK(file.open(QIODevice::ReadOnly));
    QByteArray svg = file.readAll();
    svg.replace("currentColor", colour.name(QColor::HexRgb).toLatin1());
    svg.replace("stroke-width=\"1.75\"",
                "stroke-width=\"" + QByteArray::number(strokeFor(size)) + "\"");
    return svg;
}

class ThemeIconEngine : public QIconEngine
{
public:
    ThemeIconEngine(QString name, QColor colour)
        : m_name(std::move(name)), m_colour(std::move(colour))
    {}

    QIconEngine* clone() const override { return new ThemeIconEngine(m_name, m_colour); }
    QString key() const override { return "cannery"; }
    QString iconName() override { return m_name; }
    bool isNull() override { return false; }

    void paint(QPainter* painter, const QRect& rectangle, QIcon::Mode mode,
               QIcon::State state) override
    {
        Q_UNUSED(state);
        paintIcon(*painter, rectangle, m_name, colourFor(mode),
                  std::min(rectangle.width(), rectangle.height()));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1);
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State /*state*/,
                         qreal scale) override
    {
        const int side = static_cast<int>(
            std::lround(std::min(size.width(), size.height()) / std::max(scale, 1.0)));
        return iconPixmap(m_name, colourFor(mode), side, scale);
    }

private:
    QColor colourFor(QIcon::Mode mode) const
    {
        if (mode == QIcon::Disabled) {
            return tokens().text3;
        }
        return m_colour.isValid() ? m_colour : tokens().text;
    }

    QString m_name;
    QColor m_colour;
};

} // namespace

bool hasIcon(const QString& name)
{
    return QFile::exists(fileOf(name));
}

QIcon icon(const QString& name)
{
    return icon(name, QColor());
}

QIcon icon(const QString& name, const QColor& colour)
{
    if (name.isEmpty()) {
        return {};
    }
    CANNERY_CHECK(hasIcon(name));
    return QIcon(new ThemeIconEngine(name, colour));
}

QPixmap iconPixmap(const QString& name, const QColor& colour, int size, qreal ratio)
{
    const QString key = QString("cannery-icon-%1-%2-%3-%4")
                            .arg(name, colour.name(QColor::HexArgb))
                            .arg(size)
                            .arg(ratio);
    QPixmap picture;
    if (QPixmapCache::find(key, &picture)) {
        return picture;
    }
    // Drawn at the final resolution: a scaled picture has blurred strokes.
    QSvgRenderer renderer(tintedSvg(name, colour, size));
    picture = QPixmap(QSize(size, size) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    renderer.render(&painter, QRectF(0, 0, size, size));
    painter.end();
    QPixmapCache::insert(key, picture);
    return picture;
}

void paintIcon(QPainter& painter, const QRectF& where, const QString& name, const QColor& colour,
               int size)
{
    if (name.isEmpty() || size <= 0) {
        return;
    }
    const qreal ratio = painter.device()->devicePixelRatioF();
    // On whole pixels of the device, or the picture would be resampled.
    const QPointF corner(std::round((where.center().x() - size / 2.0) * ratio) / ratio,
                         std::round((where.center().y() - size / 2.0) * ratio) / ratio);
    painter.drawPixmap(corner, iconPixmap(name, colour, size, ratio));
}

} // namespace cannery::ui
