// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/home/sample_card.h"

#include "ui/editors/tile_gallery.h"
#include "ui/models/formats.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QEvent>
#include <QPainter>
#include <QPainterPath>
#include <QRandomGenerator>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace cannery::ui {

namespace {

constexpr double kPictureHeight = 92;
constexpr double kTextHeight = 82;
constexpr double kRadius = 8;

QColor faded(const QColor& colour, double alpha)
{
    QColor result = colour;
    result.setAlphaF(static_cast<float>(alpha));
    return result;
}

/// Survivors among passengers, class by class.
void paintBars(QPainter& painter, const QRectF& where)
{
    static constexpr std::array<std::array<double, 2>, 6> kShares{
        {{0.30, 0.26}, {0.24, 0.20}, {0.40, 0.20}, {0.34, 0.12}, {0.30, 0.05}, {0.95, 0.14}}};
    const double step = where.width() / kShares.size();
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < kShares.size(); ++i) {
        const double left = where.left() + static_cast<double>(i) * step + step * 0.16;
        for (const int part : {0, 1}) {
            const double height = where.height() * kShares[i][static_cast<std::size_t>(part)];
            painter.setBrush(faded(tokens().series[0], part == 0 ? 0.28 : 1));
            painter.drawRoundedRect(QRectF(left, where.bottom() - height, step * 0.68, height), 2,
                                    2);
        }
    }
}

void paintDots(QPainter& painter, const QRectF& where, std::array<int, 3> colours)
{
    static constexpr std::array<std::array<double, 2>, 3> kCentres{
        {{0.17, 0.70}, {0.50, 0.48}, {0.82, 0.26}}};
    // A fixed seed: the same picture each time.
    QRandomGenerator random(11);
    painter.setPen(Qt::NoPen);
    for (std::size_t group = 0; group < kCentres.size(); ++group) {
        painter.setBrush(faded(tokens().series[static_cast<std::size_t>(colours[group])], 0.85));
        for (int i = 0; i < 20; ++i) {
            const double angle = random.generateDouble() * 6.283;
            // The root spreads the dots evenly over the disc; without it they crowd in its centre.
            const double radius = std::sqrt(random.generateDouble());
            const QPointF centre(where.left() + where.width() * (kCentres[group][0] +
                                                                 0.15 * radius * std::cos(angle)),
                                 where.top() + where.height() * (kCentres[group][1] +
                                                                 0.24 * radius * std::sin(angle)));
            painter.drawEllipse(centre, scaled(2.6), scaled(2.6));
        }
    }
}

void paintTrend(QPainter& painter, const QRectF& where)
{
    QRandomGenerator random(5);
    const QColor colour = tokens().series[1];
    painter.setPen(Qt::NoPen);
    painter.setBrush(faded(colour, 0.55));
    for (int i = 0; i < 34; ++i) {
        const double x = (i + 0.5) / 34;
        const double y = 0.82 - 0.62 * x + 0.30 * (random.generateDouble() - 0.5);
        painter.drawEllipse(
            QPointF(where.left() + where.width() * x, where.top() + where.height() * y),
            scaled(2.4), scaled(2.4));
    }
    painter.setPen(QPen(colour, 2));
    painter.drawLine(QPointF(where.left(), where.top() + 0.84 * where.height()),
                     QPointF(where.right(), where.top() + 0.18 * where.height()));
}

void paintCells(QPainter& painter, const QRectF& where, const QColor& colour,
                std::span<const double> shares, int columns)
{
    const int rows = static_cast<int>(shares.size()) / columns;
    const double cell = std::min(where.width() / columns, where.height() / rows);
    const double width = columns * rows > 40 ? cell : where.width() / columns;
    const double left = where.center().x() - width * columns / 2;
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const double x = left + width * static_cast<double>(i % static_cast<std::size_t>(columns));
        const double y =
            where.top() +
            where.height() / rows * static_cast<double>(i / static_cast<std::size_t>(columns));
        painter.setBrush(mixed(tokens().idleBg, colour, shares[i]));
        painter.drawRoundedRect(QRectF(x + 1, y + 1, width - 2, where.height() / rows - 2), 2, 2);
    }
}

void paintDigit(QPainter& painter, const QRectF& where)
{
    static constexpr const char* kThree = "..####.."
                                          ".##..##."
                                          ".....##."
                                          "...###.."
                                          ".....##."
                                          "......##"
                                          ".##..##."
                                          "..####..";
    std::array<double, 64> shares{};
    for (std::size_t i = 0; i < shares.size(); ++i) {
        shares[i] = kThree[i] == '#' ? 0.9 : 0;
    }
    paintCells(painter, where, tokens().series[6], shares, 8);
}

/// A circle and a triangle, as on the pictures.
void paintShapes(QPainter& painter, const QRectF& where)
{
    const double side = std::min(where.height(), where.width() / 2.3);
    QRectF tile(where.center().x() - side * 1.15, where.center().y() - side / 2, side, side);
    painter.setPen(Qt::NoPen);
    for (const bool isCircle : {true, false}) {
        painter.setBrush(faded(tokens().series[isCircle ? 0 : 1], 0.3));
        painter.drawRoundedRect(tile, 3, 3);
        painter.setBrush(tokens().series[isCircle ? 0 : 1]);
        const QRectF shape = tile.adjusted(side * 0.24, side * 0.24, -side * 0.24, -side * 0.24);
        if (isCircle) {
            painter.drawEllipse(shape);
        } else {
            painter.drawPolygon(
                QPolygonF({shape.bottomLeft(), QPointF(shape.center().x(), shape.top()),
                           shape.bottomRight()}));
        }
        tile.translate(side * 1.3, 0);
    }
}

/// Cells whose pattern and colour are the sample's own.
void paintTable(QPainter& painter, const QRectF& where, const QString& sampleId)
{
    std::array<double, 35> shares{};
    quint32 seed = 0;
    for (const QChar letter : sampleId) {
        // Not qHash(), which differs from process to process.
        seed = seed * 31 + letter.unicode();
    }
    QRandomGenerator random(seed);
    for (double& share : shares) {
        share = 0.15 + 0.75 * random.generateDouble() * random.generateDouble();
    }
    paintCells(painter, where, tokens().series[seed % tokens().series.size()], shares, 7);
}

/// The sketch of a kind of model, as high as the picture.
void paintModel(QPainter& painter, const QRectF& where, TileGallery::Sketch sketch, int hue)
{
    const QSizeF size(scaled(52), scaled(30));
    const double scale = std::min(where.width() / size.width(), where.height() / size.height());
    painter.translate(where.center());
    painter.scale(scale, scale);
    TileGallery::paintSketch(painter, sketch,
                             {QPointF(-size.width() / 2, -size.height() / 2), size},
                             tokens().series[std::size_t(hue)]);
}

} // namespace

void paintSampleThumbnail(QPainter& painter, const QRectF& where, const QString& sampleId)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF inner = where.adjusted(where.width() * 0.13, where.height() * 0.16,
                                        -where.width() * 0.13, -where.height() * 0.14);
    if (sampleId == QLatin1String("titanic")) {
        paintBars(painter, inner);
    } else if (sampleId == QLatin1String("penguins")) {
        paintDots(painter, inner, {0, 1, 2});
    } else if (sampleId == QLatin1String("auto_mpg")) {
        paintTrend(painter, inner);
    } else if (sampleId == QLatin1String("digits")) {
        paintDigit(painter, inner);
    } else if (sampleId == QLatin1String("digits_cnn")) {
        paintModel(painter, inner, TileGallery::Sketch::Network, 6);
    } else if (sampleId == QLatin1String("shapes")) {
        paintShapes(painter, inner);
    } else if (sampleId == QLatin1String("titanic_trees")) {
        paintModel(painter, inner, TileGallery::Sketch::Trees, 2);
    } else if (sampleId == QLatin1String("penguin_groups")) {
        paintModel(painter, inner, TileGallery::Sketch::Groups, 1);
    } else if (sampleId == QLatin1String("visits")) {
        paintModel(painter, inner, TileGallery::Sketch::Steps, 0);
    } else {
        paintTable(painter, inner, sampleId);
    }
    painter.restore();
}

SampleCard::SampleCard(const Sample& sample, QWidget* parent)
    : QAbstractButton(parent), m_sample(sample)
{
    setObjectName("sample." + sample.id);
    setText(sample.title.section(',', 0, 0));
    setAccessibleName(tr("Train the sample %1").arg(text()));
    setAccessibleDescription(sample.sentence);
    setToolTip(sample.sentence);
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QSize SampleCard::sizeHint() const
{
    return {scaled(172), scaled(kPictureHeight + kTextHeight)};
}

bool SampleCard::event(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        updateGeometry();
        update();
    }
    return QAbstractButton::event(event);
}

void SampleCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeTokens& theme = tokens();
    const QRectF all = rect();
    QPainterPath clip;
    clip.addRoundedRect(all, kRadius, kRadius);
    painter.setClipPath(clip);
    painter.fillRect(all, underMouse() ? theme.raised : theme.surface);
    const QRectF picture(0, 0, all.width(), scaled(kPictureHeight));
    painter.fillRect(picture, theme.sunken);
    paintSampleThumbnail(painter, picture, m_sample.id);

    const int margin = scaled(14);
    QRectF line(margin, picture.bottom() + scaled(10), all.width() - 2 * margin, scaled(20));
    painter.setFont(textFont(TextRole::Strong));
    painter.setPen(theme.text);
    paintWords(painter, line, Qt::AlignVCenter,
               painter.fontMetrics().elidedText(text(), Qt::ElideRight, int(line.width())));
    painter.setFont(textFont(TextRole::Label));
    painter.setPen(theme.text2);
    const QString size =
        tr("%1 rows · %2 columns").arg(formatCount(m_sample.rows), formatCount(m_sample.columns));
    const QString extent = m_sample.pictures > 0
                               ? tr("%1 pictures").arg(formatCount(m_sample.pictures))
                           : m_sample.rows > 0 ? size
                                               : QString();
    for (const QString& words : {m_sample.estimator, extent}) {
        line.translate(0, scaled(line.top() < picture.bottom() + scaled(20) ? 20 : 17));
        const int room = static_cast<int>(line.width()) - scaled(22);
        paintWords(painter, QRectF(line.left(), line.top(), room, line.height()), Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(words, Qt::ElideRight, room));
    }
    const int side = scaled(18);
    ui::icon("player-play", theme.accent)
        .paint(&painter, QRect(width() - margin - side, height() - scaled(14) - side, side, side));
    // The clip would cut off the ring, which lies on the edge.
    painter.setClipping(false);
    if (showsFocusRing(*this)) {
        paintFocusRing(painter, all, kRadius);
    }
}

} // namespace cannery::ui
