// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/style_painters.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QStyleOption>
#include <QWidget>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr double kFieldRadius = 6;

bool has(const QStyleOption& option, QStyle::StateFlag flag)
{
    return option.state.testFlag(flag);
}

/// A square of an indicator's size in the middle of the available rectangle.
QRectF indicatorSquare(const QRect& rectangle)
{
    const double side =
        std::min({static_cast<double>(rectangle.width()), static_cast<double>(rectangle.height()),
                  static_cast<double>(scaled(18))}) -
        1;
    QRectF square(0, 0, side, side);
    square.moveCenter(QRectF(rectangle).center());
    return square;
}

QColor indicatorOutline(const QStyleOption& option)
{
    const ThemeTokens& t = tokens();
    if (!has(option, QStyle::State_Enabled)) {
        return t.border;
    }
    return has(option, QStyle::State_MouseOver) ? t.accent : t.control;
}

} // namespace

void paintFieldFrame(QPainter& painter, const QStyleOption& option, const QWidget* widget)
{
    const ThemeTokens& t = tokens();
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool wrong = widget && widget->property("problem").toBool();
    const bool focused = has(option, QStyle::State_HasFocus);
    QColor outline = has(option, QStyle::State_MouseOver) && enabled ? t.control : t.border;
    if (!enabled) {
        outline = t.line;
    }
    paintSurface(painter, option.rect, kFieldRadius, enabled ? t.field : t.sunken, outline);
    if (wrong) {
        paintFocusRing(painter, option.rect, kFieldRadius, t.err);
    } else if (focused) {
        paintFocusRing(painter, option.rect, kFieldRadius);
    }
}

void paintCheckBox(QPainter& painter, const QStyleOption& option)
{
    const ThemeTokens& t = tokens();
    const QRectF box = indicatorSquare(option.rect);
    const bool on = has(option, QStyle::State_On);
    const bool partly = has(option, QStyle::State_NoChange);
    const bool enabled = has(option, QStyle::State_Enabled);
    constexpr double kRadius = 4;
    if (on || partly) {
        paintSurface(painter, box, kRadius, enabled ? t.accent : t.track);
        paintIcon(painter, box, on ? "check" : "minus", enabled ? t.onAccent : t.text3,
                  static_cast<int>(box.width()) - 4);
    } else {
        paintSurface(painter, box, kRadius, enabled ? t.field : t.sunken, indicatorOutline(option));
    }
    if (has(option, QStyle::State_HasFocus) && focusRingsVisible()) {
        paintFocusRing(painter, box.adjusted(-2, -2, 2, 2), kRadius + 2, t.accent);
    }
}

void paintRadioButton(QPainter& painter, const QStyleOption& option)
{
    const ThemeTokens& t = tokens();
    const QRectF circle = indicatorSquare(option.rect);
    const bool enabled = has(option, QStyle::State_Enabled);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (has(option, QStyle::State_On)) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(enabled ? t.accent : t.track);
        painter.drawEllipse(circle);
        painter.setBrush(enabled ? t.onAccent : t.text3);
        painter.drawEllipse(circle.center(), circle.width() / 5, circle.width() / 5);
    } else {
        painter.setPen(QPen(indicatorOutline(option), 1));
        painter.setBrush(enabled ? t.field : t.sunken);
        painter.drawEllipse(circle.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    if (has(option, QStyle::State_HasFocus) && focusRingsVisible()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.accent, 2));
        painter.drawEllipse(circle.adjusted(-1, -1, 1, 1));
    }
    painter.restore();
}

void paintStockButton(QPainter& painter, const QStyleOption& option)
{
    const ThemeTokens& t = tokens();
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool pressed = has(option, QStyle::State_Sunken) || has(option, QStyle::State_On);
    const bool hovered = has(option, QStyle::State_MouseOver) && enabled;
    paintSurface(painter, option.rect, kFieldRadius,
                 pressed || hovered ? t.hover
                 : enabled          ? t.raised
                                    : t.canvas,
                 enabled ? t.border : t.line);
    if (has(option, QStyle::State_HasFocus) && focusRingsVisible()) {
        paintFocusRing(painter, option.rect, kFieldRadius);
    }
}

void paintComboBox(QPainter& painter, const QStyleOptionComboBox& option, const QWidget* widget)
{
    const ThemeTokens& t = tokens();
    if (!option.frame) {
        return;
    }
    QStyleOption frame(option);
    if (!option.editable && !focusRingsVisible()) {
        frame.state.setFlag(QStyle::State_HasFocus, false);
    }
    paintFieldFrame(painter, frame, widget);
    const int side = scaled(16);
    QRect arrow(0, 0, side, side);
    arrow.moveCenter(option.rect.center());
    arrow.moveRight(option.rect.right() - scaled(8));
    arrow = QStyle::visualRect(option.direction, option.rect, arrow);
    paintIcon(painter, arrow, "chevron-down",
              has(option, QStyle::State_Enabled) ? t.text2 : t.text3, side);
}

void paintSpinBox(QPainter& painter, const QStyleOptionSpinBox& option, const QRect& up,
                  const QRect& down, const QWidget* widget)
{
    const ThemeTokens& t = tokens();
    if (option.frame) {
        paintFieldFrame(painter, option, widget);
    }
    if (option.buttonSymbols == QAbstractSpinBox::NoButtons) {
        return;
    }
    const auto paintArrow = [&](const QRect& where, const char* name, bool enabled, bool active) {
        if (active) {
            paintSurface(painter, QRectF(where).adjusted(2, 2, -2, -1), 3, t.hover);
        }
        paintIcon(painter, where, name, enabled ? t.text2 : t.text3, scaled(12));
    };
    const bool enabled = has(option, QStyle::State_Enabled);
    const auto isActive = [&](QStyle::SubControl part) {
        return enabled && option.activeSubControls == part;
    };
    paintArrow(up, "chevron-up",
               enabled && option.stepEnabled.testFlag(QAbstractSpinBox::StepUpEnabled),
               isActive(QStyle::SC_SpinBoxUp));
    paintArrow(down, "chevron-down",
               enabled && option.stepEnabled.testFlag(QAbstractSpinBox::StepDownEnabled),
               isActive(QStyle::SC_SpinBoxDown));
}

} // namespace cannery::ui
