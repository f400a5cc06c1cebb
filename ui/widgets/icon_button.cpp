// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/icon_button.h"

#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QPainter>

namespace cannery::ui {
namespace {

constexpr int kSide = 28;
constexpr int kIcon = 18;
constexpr double kRadius = 6;

} // namespace

IconButton::IconButton(const QString& iconName, const QString& name, QWidget* parent)
    : QToolButton(parent), m_iconName(iconName)
{
    setUp();
    setName(name);
}

IconButton::IconButton(QAction* action, QWidget* parent) : QToolButton(parent)
{
    setUp();
    setObjectName(action->objectName().replace("action.", "button."));
    setDefaultAction(action);
    const auto follow = [this, action] {
        m_iconName = action->property("iconName").toString();
        setAccessibleName(action->iconText());
        update();
    };
    connect(action, &QAction::changed, this, follow);
    follow();
}

void IconButton::setUp()
{
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setPopupMode(QToolButton::InstantPopup);
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] { updateGeometry(); });
}

void IconButton::setIconName(const QString& iconName)
{
    m_iconName = iconName;
    update();
}

void IconButton::setName(const QString& name)
{
    setAccessibleName(name);
    setToolTip(name);
}

QSize IconButton::sizeHint() const
{
    return {scaled(kSide), scaled(kSide)};
}

void IconButton::paintEvent(QPaintEvent* /*event*/)
{
    const ThemeTokens& t = tokens();
    QPainter painter(this);
    if (isChecked()) {
        paintSurface(painter, rect(), kRadius, t.tint);
    } else if (isEnabled() && (underMouse() || isDown())) {
        paintSurface(painter, rect(), kRadius, t.hover);
    }
    const QColor ink = !isEnabled() ? t.text3 : isChecked() ? t.accent : t.text2;
    paintIcon(painter, rect(), m_iconName, ink, scaled(kIcon));
    if (showsFocusRing(*this)) {
        paintFocusRing(painter, rect(), kRadius);
    }
}

} // namespace cannery::ui
