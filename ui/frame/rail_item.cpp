// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/rail_item.h"

#include "ui/models/formats.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kWidth = 72;
constexpr int kCompactWidth = 44;
constexpr int kHeight = 60;
constexpr int kCompactHeight = 44;
constexpr int kLeastHeight = 46;
constexpr int kLeastCompactHeight = 25;
constexpr int kIcon = 22;
constexpr int kRing = 30;
constexpr int kRingIcon = 16;
constexpr int kBadge = 16;
constexpr double kRadius = 8;

QFont labelFont(bool active)
{
    QFont font = textFont(TextRole::LabelStrong);
    font.setWeight(active ? QFont::DemiBold : QFont::Medium);
    return font;
}

struct BadgeLook
{
    const char* icon = nullptr;
    QColor ink;
    QColor ground;
};

BadgeLook badgeOf(RailMark::Kind kind)
{
    const ThemeTokens& t = tokens();
    switch (kind) {
    case RailMark::Kind::Ready:
        return {"check", t.ok, t.okBg};
    case RailMark::Kind::Warning:
        return {nullptr, t.warn, t.warnBg};
    case RailMark::Kind::Error:
        return {nullptr, t.err, t.errBg};
    case RailMark::Kind::Stale:
        return {"refresh", t.warn, t.warnBg};
    case RailMark::Kind::Empty:
        return {nullptr, t.control, {}};
    default:
        return {};
    }
}

void paintRing(QPainter& painter, const QPointF& centre, double progress)
{
    const ThemeTokens& t = tokens();
    const double side = scaled(kRing) - 3;
    QRectF ring(0, 0, side, side);
    ring.moveCenter(centre);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(t.track, 2.5));
    painter.drawEllipse(ring);
    // In sixteenths of a degree, which QPainter counts counter-clockwise: the arc goes the other
    // way.
    constexpr int kTop = 90 * 16;
    constexpr int kWhole = 360 * 16;
    painter.setPen(QPen(t.accent, 2.5, Qt::SolidLine, Qt::RoundCap));
    painter.drawArc(ring, kTop, -static_cast<int>(kWhole * std::clamp(progress, 0.0, 1.0)));
}

void paintBadge(QPainter& painter, const QRectF& place, const RailMark& mark)
{
    const BadgeLook look = badgeOf(mark.kind);
    if (look.ground.isValid()) {
        paintSurface(painter, place, place.height() / 2, look.ground);
    }
    if (mark.kind == RailMark::Kind::Empty) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(look.ink, 1.5));
        painter.drawEllipse(place.center(), scaled(3), scaled(3));
    } else if (look.icon) {
        paintIcon(painter, place, look.icon, look.ink, scaled(12));
    } else {
        painter.setFont(textFont(TextRole::Badge));
        painter.setPen(look.ink);
        paintWords(painter, place, Qt::AlignCenter, "!");
    }
}

void paintCount(QPainter& painter, const QPointF& corner, int count, bool mirrored, int room)
{
    const QFont font = textFont(TextRole::Badge);
    const QString text = formatShortCount(count);
    const double width =
        std::max<double>(scaled(kBadge), QFontMetrics(font).horizontalAdvance(text) + scaled(8));
    QRectF place(corner.x(), corner.y(), width, scaled(kBadge));
    if (mirrored) {
        place.moveRight(corner.x() + scaled(kBadge));
    }
    place.moveRight(std::min<double>(place.right(), room));
    paintSurface(painter, place, place.height() / 2, tokens().idleBg);
    painter.setFont(font);
    painter.setPen(tokens().text2);
    paintWords(painter, place, Qt::AlignCenter, text);
}

} // namespace

RailItem::RailItem(const QString& iconName, const QString& label, QWidget* parent)
    : QAbstractButton(parent), m_iconName(iconName)
{
    setText(label);
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    describe();
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] { updateGeometry(); });
}

void RailItem::setMark(const RailMark& mark)
{
    if (mark == m_mark) {
        return;
    }
    m_mark = mark;
    describe();
    update();
}

void RailItem::setCompact(bool compact)
{
    m_compact = compact;
    describe();
    updateGeometry();
    update();
}

void RailItem::setRoom(int height)
{
    if (height != m_room) {
        m_room = height;
        updateGeometry();
        update();
    }
}

void RailItem::describe()
{
    setAccessibleName(text());
    setAccessibleDescription(m_mark.tip);
    // Without its label, the name is only in the tool tip.
    setToolTip(m_compact && !m_mark.tip.isEmpty() ? text() + " · " + m_mark.tip
               : m_compact                        ? text()
                                                  : m_mark.tip);
}

QSize RailItem::sizeHint() const
{
    const int height = std::clamp(m_room, scaled(m_compact ? kLeastCompactHeight : kLeastHeight),
                                  scaled(m_compact ? kCompactHeight : kHeight));
    if (m_compact) {
        return {scaled(kCompactWidth), height};
    }
    // In the chosen item's bolder font, so that choosing another one does not change the width.
    const int words = QFontMetrics(labelFont(true)).horizontalAdvance(text()) + scaled(8);
    return {std::max(scaled(kWidth), words), height};
}

void RailItem::paintEvent(QPaintEvent* /*event*/)
{
    const ThemeTokens& t = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool active = isChecked();
    if (active) {
        paintSurface(painter, rect(), kRadius, t.raised);
        QRect bar(0, (height() - scaled(24)) / 2, 3, scaled(24));
        paintSurface(painter, QStyle::visualRect(layoutDirection(), rect(), bar), 1.5, t.accent);
    } else if (underMouse()) {
        paintSurface(painter, rect(), kRadius, t.hover);
    }
    const double middle = m_compact ? height() / 2.0 : (height() - scaled(14)) / 2.0;
    const QPointF centre(width() / 2.0, middle);
    const bool working = m_mark.kind == RailMark::Kind::Working;
    const int side = scaled(working ? kRingIcon : kIcon);
    QRectF iconPlace(0, 0, side, side);
    iconPlace.moveCenter(centre);
    if (working) {
        paintRing(painter, centre, m_mark.progress);
    }
    paintIcon(painter, iconPlace, m_iconName, active ? t.accent : t.text2, side);
    const double offset = scaled(kIcon) / 2.0 - scaled(1);
    QPointF corner(centre.x() + offset, std::max<double>(0, centre.y() - scaled(16)));
    if (isRightToLeft()) {
        corner.setX(centre.x() - offset - scaled(kBadge));
    }
    corner.setX(std::clamp<double>(corner.x(), 0, width() - scaled(kBadge)));
    if (m_mark.kind == RailMark::Kind::Count && m_mark.count > 0) {
        paintCount(painter, corner, m_mark.count, isRightToLeft(), width());
    } else if (!working && m_mark.kind != RailMark::Kind::None &&
               m_mark.kind != RailMark::Kind::Count) {
        paintBadge(painter, QRectF(corner, QSizeF(scaled(kBadge), scaled(kBadge))), m_mark);
    }
    if (!m_compact) {
        painter.setFont(labelFont(active));
        painter.setPen(active ? t.text : t.text2);
        paintWords(painter, QRect(0, height() - scaled(22), width(), scaled(20)), Qt::AlignCenter,
                   text());
    }
    if (showsFocusRing(*this)) {
        paintFocusRing(painter, rect(), kRadius);
    }
}

} // namespace cannery::ui
