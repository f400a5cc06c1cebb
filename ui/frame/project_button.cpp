// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/project_button.h"

#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QPainter>
#include <QStyle>

namespace cannery::ui {
namespace {

constexpr int kChevron = 14;
constexpr int kSide = 8;
constexpr int kLeastName = 40;

} // namespace

ProjectButton::ProjectButton(QAction* action, QWidget* parent)
    : QAbstractButton(parent), m_action(action)
{
    setObjectName("button.project");
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(this, &QAbstractButton::clicked, action, &QAction::trigger);
    const auto follow = [this] {
        setEnabled(m_action->isEnabled());
        setToolTip(text() + '\n' + m_action->toolTip());
        updateGeometry();
        update();
    };
    connect(action, &QAction::changed, this, follow);
    connect(&themeWatch(), &ThemeWatch::changed, this, follow);
    follow();
}

int ProjectButton::endWidth() const
{
    return isEnabled() ? scaled(kChevron + 4) : 0;
}

QSize ProjectButton::sizeHint() const
{
    const QFontMetrics metrics(textFont(TextRole::Strong));
    return {metrics.horizontalAdvance(text()) + 2 * scaled(kSide) + endWidth() + 1,
            qMax(scaled(28), metrics.height() + scaled(6))};
}

QSize ProjectButton::minimumSizeHint() const
{
    return {qMin(sizeHint().width(), scaled(kLeastName + 2 * kSide) + endWidth()),
            sizeHint().height()};
}

void ProjectButton::paintEvent(QPaintEvent* /*event*/)
{
    const ThemeTokens& t = tokens();
    QPainter painter(this);
    if (isEnabled() && (underMouse() || isDown())) {
        paintSurface(painter, rect(), 6, t.field, t.isDark ? t.border : QColor());
    }
    if (showsFocusRing(*this)) {
        paintFocusRing(painter, rect(), 6);
    }
    const auto mirrored = [this](const QRect& place) {
        return QStyle::visualRect(layoutDirection(), rect(), place);
    };
    const QRect words(scaled(kSide), 0, width() - 2 * scaled(kSide) - endWidth(), height());
    painter.setFont(textFont(TextRole::Strong));
    painter.setPen(t.text);
    paintWords(painter, mirrored(words), Qt::AlignVCenter | Qt::AlignLeft,
               painter.fontMetrics().elidedText(text(), Qt::ElideRight, words.width()));
    if (isEnabled()) {
        const QRect place(width() - scaled(kSide) - scaled(kChevron), 0, scaled(kChevron),
                          height());
        paintIcon(painter, mirrored(place), "chevron-down", t.text2, scaled(kChevron));
    }
}

} // namespace cannery::ui
