// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/pill.h"

#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace cannery::ui {
namespace {

constexpr int kHeight = 22;
constexpr int kSide = 9;
constexpr int kIcon = 13;
constexpr int kGap = 5;

QFont pillFont()
{
    QFont font = textFont(TextRole::Label);
    font.setWeight(QFont::DemiBold);
    return font;
}

QSize pillSize(const QString& iconName, const QString& text)
{
    const QFontMetrics metrics(pillFont());
    int width = metrics.horizontalAdvance(text) + 2 * scaled(kSide);
    if (!iconName.isEmpty()) {
        width += scaled(kIcon) + scaled(kGap);
    }
    return {width, qMax(scaled(kHeight), metrics.height() + scaled(4))};
}

} // namespace

StateLook stateLook(RunState state)
{
    switch (state) {
    case RunState::Queued:
        return {Pill::Kind::Neutral, "clock"};
    case RunState::Preparing:
    case RunState::Finishing:
        return {Pill::Kind::Accent, "clock"};
    case RunState::Running:
        return {Pill::Kind::Accent, "player-play"};
    case RunState::Paused:
        return {Pill::Kind::Warn, "player-pause"};
    case RunState::Finished:
        return {Pill::Kind::Ok, "check"};
    case RunState::Stopped:
        return {Pill::Kind::Neutral, "player-stop"};
    case RunState::Failed:
        return {Pill::Kind::Error, "alert-circle"};
    case RunState::Interrupted:
        return {Pill::Kind::Warn, "plug-connected-x"};
    }
    return {};
}

QColor pillInk(Pill::Kind kind)
{
    const ThemeTokens& t = tokens();
    switch (kind) {
    case Pill::Kind::Neutral:
        return t.text2;
    case Pill::Kind::Accent:
        return t.accent;
    case Pill::Kind::Ok:
        return t.ok;
    case Pill::Kind::Warn:
        return t.warn;
    case Pill::Kind::Error:
        return t.err;
    }
    return t.text2;
}

QColor pillGround(Pill::Kind kind)
{
    const ThemeTokens& t = tokens();
    switch (kind) {
    case Pill::Kind::Neutral:
        return t.idleBg;
    case Pill::Kind::Accent:
        return t.tint;
    case Pill::Kind::Ok:
        return t.okBg;
    case Pill::Kind::Warn:
        return t.warnBg;
    case Pill::Kind::Error:
        return t.errBg;
    }
    return t.idleBg;
}

QSize paintPill(QPainter& painter, const QRect& where, Pill::Kind kind, const QString& iconName,
                const QString& text, Qt::LayoutDirection direction)
{
    const QSize size = pillSize(iconName, text);
    const auto mirrored = [&](const QRect& rectangle) {
        return direction == Qt::LeftToRight
                   ? rectangle
                   // Also used by delegates, whose painters do not mirror.
                   : rectangle.translated(
                         where.left() + where.right() - rectangle.left() - rectangle.right(), 0);
    };
    const QRect pill(QPoint(where.left(), where.center().y() - size.height() / 2 + 1), size);
    paintSurface(painter, mirrored(pill), size.height() / 2.0, pillGround(kind));
    int x = pill.left() + scaled(kSide);
    if (!iconName.isEmpty()) {
        paintIcon(painter, mirrored(QRect(x, pill.top(), scaled(kIcon), pill.height())), iconName,
                  pillInk(kind), scaled(kIcon));
        x += scaled(kIcon) + scaled(kGap);
    }
    painter.setFont(pillFont());
    painter.setPen(pillInk(kind));
    const QRect words(x, pill.top(), pill.right() - scaled(kSide) - x + 2, pill.height());
    paintWords(painter, mirrored(words), Qt::AlignVCenter | Qt::AlignHCenter | Qt::TextSingleLine,
               text);
    return size;
}

Pill::Pill(QWidget* parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    const auto follow = [this] {
        setFont(pillFont());
        updateGeometry();
    };
    follow();
    connect(&themeWatch(), &ThemeWatch::changed, this, follow);
}

void Pill::setState(Kind kind, const QString& iconName, const QString& text)
{
    // Repeated with every report of an engine.
    if (kind == m_kind && iconName == m_iconName && text == this->text()) {
        return;
    }
    m_kind = kind;
    m_iconName = iconName;
    setText(text);
    updateGeometry();
    update();
}

QSize Pill::sizeHint() const
{
    return pillSize(m_iconName, text());
}

void Pill::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    paintPill(painter, rect(), m_kind, m_iconName, text(), layoutDirection());
}

void showState(Pill& pill, RunState state)
{
    const StateLook look = stateLook(state);
    pill.setState(look.kind, look.icon, displayName(state));
}

Pill* statePill(RunState state, QWidget* parent)
{
    auto* pill = new Pill(parent);
    showState(*pill, state);
    return pill;
}

} // namespace cannery::ui
