// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/style/theme.h"

#include "ui/widgets/behaviour/control_accessible.h"
#include "ui/widgets/behaviour/input_watch.h"
#include "ui/widgets/behaviour/wheel_guard.h"
#include "ui/widgets/style/fonts.h"
#include "ui/widgets/style/theme_tokens.h"
#include "ui/widgets/style/workbench_style.h"

#include <QApplication>
#include <QPalette>
#include <QToolTip>
#include <QWidget>

#include <cmath>

namespace cannery::ui {
namespace {

constexpr double kDesignBody = 13;
constexpr int kMotion = 130;

/// What the application shows now. One per process, like the palette set from it.
struct ThemeState
{
    ThemeTokens tokens;
    ThemeChoice choice;
    double body = kDesignBody;
    ThemeWatch watch;
    QPalette desktopPalette;
    bool knowsDesktop = false;
};

ThemeTokens tokensOf(const TokenTable& table, bool dark)
{
    const auto colour = [](std::uint32_t rgb) { return QColor::fromRgb(rgb); };
    ThemeTokens t;
    t.chrome = colour(table.chrome);
    t.canvas = colour(table.canvas);
    t.surface = colour(table.surface);
    t.sunken = colour(table.sunken);
    t.field = colour(table.field);
    t.raised = colour(table.raised);
    t.hover = colour(table.hover);
    t.idleBg = colour(table.idleBg);
    t.line = colour(table.line);
    t.border = colour(table.border);
    t.control = colour(table.control);
    t.track = colour(table.track);
    t.text = colour(table.text);
    t.text2 = colour(table.text2);
    t.text3 = colour(table.text3);
    t.accent = colour(table.accent);
    t.accentHover = colour(table.accentHover);
    t.tint = colour(table.tint);
    t.onAccent = colour(table.onAccent);
    t.ok = colour(table.ok);
    t.okBg = colour(table.okBg);
    t.warn = colour(table.warn);
    t.warnIcon = colour(table.warnIcon);
    t.warnBg = colour(table.warnBg);
    t.err = colour(table.err);
    t.errBg = colour(table.errBg);
    t.scrim = QColor::fromRgba(kScrim);
    for (size_t i = 0; i < t.series.size(); ++i) {
        t.series[i] = colour(table.series[i]);
    }
    t.isDark = dark;
    return t;
}

ThemeState& state()
{
    static ThemeState theState{.tokens = tokensOf(kLightTokens, false)};
    return theState;
}

QPalette paletteOf(const ThemeTokens& t)
{
    QPalette palette;
    const auto set = [&palette](QPalette::ColorRole role, const QColor& colour) {
        palette.setColor(role, colour);
    };
    set(QPalette::Window, t.canvas);
    set(QPalette::WindowText, t.text);
    set(QPalette::Base, t.surface);
    set(QPalette::AlternateBase, t.sunken);
    set(QPalette::Text, t.text);
    set(QPalette::Button, t.raised);
    set(QPalette::ButtonText, t.text);
    set(QPalette::BrightText, t.onAccent);
    set(QPalette::Highlight, t.accent);
    set(QPalette::HighlightedText, t.onAccent);
    set(QPalette::Link, t.accent);
    set(QPalette::LinkVisited, t.accent);
    set(QPalette::PlaceholderText, t.text3);
    set(QPalette::ToolTipBase, t.raised);
    set(QPalette::ToolTipText, t.text);
    set(QPalette::Light, t.raised);
    set(QPalette::Midlight, t.hover);
    set(QPalette::Mid, t.line);
    set(QPalette::Dark, t.border);
    set(QPalette::Shadow, t.control);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, t.text3);
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, t.track);
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, t.text);
    return palette;
}

/// Nine or ten points, usual on desktops, are the design's 13 pixels; other sizes are kept.
double desktopBody()
{
    constexpr double kUsual = 13.5;
    static const double kPixels = desktopFontPixels();
    return kPixels <= kUsual ? kDesignBody : kPixels;
}

} // namespace

const ThemeTokens& tokens()
{
    return state().tokens;
}

QColor seriesColour(int slot)
{
    const auto& series = tokens().series;
    const auto count = static_cast<int>(series.size());
    // Also for slots below 0 and beyond the palette.
    return series[static_cast<size_t>(((slot % count) + count) % count)];
}

QColor inkColour(Ink ink)
{
    const ThemeTokens& t = tokens();
    switch (ink) {
    case Ink::Text:
        return t.text;
    case Ink::Secondary:
        return t.text2;
    case Ink::Faint:
        return t.text3;
    case Ink::Accent:
        return t.accent;
    case Ink::Ok:
        return t.ok;
    case Ink::Warn:
        return t.warn;
    case Ink::Error:
        return t.err;
    }
    return t.text;
}

QFont textFont(TextRole role)
{
    return fontOf(role, state().body, state().choice.desktopFont);
}

void useFont(QWidget* widget, TextRole role)
{
    widget->setFont(textFont(role));
    QObject::connect(&themeWatch(), &ThemeWatch::changed, widget,
                     [widget, role] { widget->setFont(textFont(role)); });
}

double bodySize()
{
    return state().body;
}

int scaled(double designPixels)
{
    return static_cast<int>(std::lround(designPixels * state().body / kDesignBody));
}

bool motionAllowed()
{
    return !state().choice.reduceMotion;
}

int motionMilliseconds()
{
    return motionAllowed() ? kMotion : 0;
}

ThemeWatch& themeWatch()
{
    return state().watch;
}

bool desktopIsDark()
{
    const QPalette palette =
        state().knowsDesktop ? state().desktopPalette : QGuiApplication::palette();
    return palette.color(QPalette::Window).lightness() <
           palette.color(QPalette::WindowText).lightness();
}

void applyTheme(QApplication& application, const ThemeChoice& choice)
{
    ThemeState& now = state();
    // With the first theme: afterwards the palette is this program's own.
    if (!now.knowsDesktop) {
        now.desktopPalette = QGuiApplication::palette();
        now.knowsDesktop = true;
        watchInput(application);
        guardWheel(application);
        installControlAccessible();
    }
    now.choice = choice;
    now.tokens = tokensOf(choice.dark ? kDarkTokens : kLightTokens, choice.dark);
    if (choice.highContrast) {
        now.tokens.border = now.tokens.control;
        now.tokens.text2 = now.tokens.text;
        now.tokens.text3 = tokensOf(choice.dark ? kDarkTokens : kLightTokens, false).text2;
    }
    now.body = desktopBody() * choice.textScale;
    if (!qobject_cast<WorkbenchStyle*>(application.style())) {
        QApplication::setStyle(new WorkbenchStyle);
    }
    QApplication::setFont(textFont(TextRole::Body));
    QApplication::setPalette(paletteOf(now.tokens));
    QToolTip::setPalette(paletteOf(now.tokens));
    QToolTip::setFont(textFont(TextRole::Label));
    Q_EMIT now.watch.changed();
    // Sizes depend on the fonts of the theme, but are not computed again by themselves.
    for (QWidget* window : QApplication::topLevelWidgets()) {
        window->setPalette(QApplication::palette());
        for (QWidget* widget : window->findChildren<QWidget*>()) {
            widget->updateGeometry();
        }
        window->update();
    }
}

} // namespace cannery::ui
