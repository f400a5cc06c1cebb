// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/button.h"

#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QPainter>
#include <QStyle>

namespace cannery::ui {
namespace {

constexpr int kHeight = 30;
constexpr int kSide = 12;
constexpr int kQuietSide = 8;
constexpr int kIcon = 16;
constexpr int kGap = 8;
constexpr double kRadius = 6;

struct Look
{
    QColor fill;
    QColor outline;
    QColor ink;
};

Look lookOf(const Button& button)
{
    const ThemeTokens& t = tokens();
    const bool hovered = button.underMouse() || button.isDown();
    const QColor quietFill = hovered ? t.hover : QColor();
    switch (button.kind()) {
    case Button::Kind::Primary:
        return button.isEnabled() ? Look{hovered ? t.accentHover : t.accent, {}, t.onAccent}
                                  : Look{t.idleBg, {}, t.text2};
    case Button::Kind::Plain:
        return button.isEnabled() ? Look{hovered ? t.hover : t.raised, t.border, t.text}
                                  : Look{{}, t.line, t.text3};
    case Button::Kind::Quiet:
        return {
            button.isEnabled() ? quietFill : QColor(), {}, button.isEnabled() ? t.text2 : t.text3};
    case Button::Kind::Link:
        return {
            button.isEnabled() ? quietFill : QColor(), {}, button.isEnabled() ? t.accent : t.text3};
    case Button::Kind::Danger:
        return button.isEnabled() ? Look{hovered ? t.errBg : t.raised, t.border, t.err}
                                  : Look{{}, t.line, t.text3};
    }
    return {};
}

/// An action's access keys belong to its menu.
QString withoutAccessKey(QString text)
{
    return text.remove('&');
}

bool isQuiet(Button::Kind kind)
{
    return kind == Button::Kind::Quiet || kind == Button::Kind::Link;
}

} // namespace

Button::Button(Kind kind, const QString& text, QWidget* parent)
    : QPushButton(text, parent), m_kind(kind)
{
    setUp();
}

Button::Button(Kind kind, const QString& iconName, const QString& text, QWidget* parent)
    : QPushButton(text, parent), m_kind(kind), m_iconName(iconName)
{
    setUp();
}

Button::Button(Kind kind, QAction* action, QWidget* parent)
    : QPushButton(parent), m_kind(kind), m_action(action)
{
    setUp();
    setObjectName(action->objectName().replace("action.", "button."));
    connect(action, &QAction::changed, this, &Button::followAction);
    // The action may be deleted first, with its page: the button then stays where it is, disabled.
    connect(action, &QObject::destroyed, this, [this] {
        m_action = nullptr;
        setEnabled(false);
    });
    connect(this, &QPushButton::clicked, this, [this] {
        if (m_action) {
            m_action->trigger();
        }
    });
    followAction();
}

void Button::setUp()
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
    setAutoDefault(false);
    const auto follow = [this] {
        QFont font = textFont(TextRole::Body);
        font.setWeight(m_kind == Kind::Primary ? QFont::DemiBold : QFont::Medium);
        setFont(font);
    };
    follow();
    connect(&themeWatch(), &ThemeWatch::changed, this, follow);
}

void Button::followAction()
{
    if (!m_hasOwnText) {
        setText(withoutAccessKey(m_action->text()));
    }
    setEnabled(m_action->isEnabled());
    setToolTip(m_action->toolTip());
    m_iconName = m_action->property("iconName").toString();
    updateGeometry();
    update();
}

void Button::setOwnText(const QString& text)
{
    m_hasOwnText = !text.isEmpty();
    setText(m_hasOwnText || !m_action ? text : withoutAccessKey(m_action->text()));
    updateGeometry();
}

void Button::setIconName(const QString& name)
{
    m_iconName = name;
    updateGeometry();
    update();
}

QSize Button::sizeHint() const
{
    ensurePolished();
    const int side = scaled(isQuiet(m_kind) ? kQuietSide : kSide);
    int width = fontMetrics().size(Qt::TextShowMnemonic, text()).width() + 2 * side + 2;
    if (!m_iconName.isEmpty()) {
        width += scaled(kIcon) + (text().isEmpty() ? 0 : scaled(kGap));
    }
    return {width, qMax(scaled(kHeight), fontMetrics().height() + scaled(8))};
}

QSize Button::minimumSizeHint() const
{
    return sizeHint();
}

void Button::paintEvent(QPaintEvent* /*event*/)
{
    const Look look = lookOf(*this);
    QPainter painter(this);
    const QRectF all = rect();
    if (look.fill.isValid() || look.outline.isValid()) {
        paintSurface(painter, all, kRadius, look.fill, look.outline);
    }
    if (showsFocusRing(*this) && m_kind == Kind::Primary) {
        paintFocusRing(painter, all.adjusted(2, 2, -2, -2), kRadius - 2, tokens().onAccent);
    } else if (showsFocusRing(*this) || (isDefault() && isEnabled() && m_kind == Kind::Plain)) {
        paintFocusRing(painter, all, kRadius);
    }
    const int iconRoom =
        m_iconName.isEmpty() ? 0 : scaled(kIcon) + (text().isEmpty() ? 0 : scaled(kGap));
    const int textWidth = fontMetrics().size(Qt::TextShowMnemonic, text()).width();
    QRect content(0, 0, iconRoom + textWidth, height());
    content.moveCenter(rect().center());
    content.moveLeft(qMax(content.left(), scaled(4)));
    if (iconRoom > 0) {
        const QRect place(content.left(), 0, scaled(kIcon), height());
        paintIcon(painter, QStyle::visualRect(layoutDirection(), rect(), place), m_iconName,
                  look.ink, scaled(kIcon));
    }
    painter.setPen(look.ink);
    const QRect words(content.left() + iconRoom, 0, textWidth, height());
    paintWords(painter, QStyle::visualRect(layoutDirection(), rect(), words),
               Qt::AlignCenter | Qt::TextShowMnemonic, text());
}

} // namespace cannery::ui
