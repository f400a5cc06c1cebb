// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QColor>
#include <QFont>

#include <QObject>

#include <array>

class QApplication;
class QLabel;
class QWidget;

namespace cannery::ui {

/// The colours of one theme; `theme_tokens.h` has the two tables, and no colour is defined
/// elsewhere.
struct ThemeTokens
{
    QColor chrome, canvas, surface, sunken, field, raised, hover, idleBg;
    QColor line, border, control, track;
    QColor text, text2, text3;
    QColor accent, accentHover, tint, onAccent;
    QColor ok, okBg, warn, warnIcon, warnBg, err, errBg;
    QColor scrim;
    std::array<QColor, 16> series; ///< 0–7 the eight hues, 8–15 their second lightness
    bool isDark = false;
};

/// The tokens that the application shows now. Custom widgets read them while painting and drop
/// their pixmaps on QEvent::PaletteChange. GUI thread.
const ThemeTokens& tokens();
/// The colour of a run's slot, 0 to 15.
QColor seriesColour(int slot);

/// The text roles; sizes are multiples of the body size, which follows desktop and text scale.
enum class TextRole
{
    Body,        ///< 1.00, 400
    Strong,      ///< 1.00, 600
    Label,       ///< 0.92, 400
    LabelStrong, ///< 0.92, 500
    Axis,        ///< 0.85, 400
    Badge,       ///< 0.85, 600
    PageTitle,   ///< 1.30, 600
    Section,     ///< 1.15, 600
    Headline,    ///< 1.38, 600
    EmptyTitle,  ///< 1.54, 600
    Code,        ///< 0.92, monospaced
};
QFont textFont(TextRole role);
/// The widget keeps this role's font when theme or text scale change.
void useFont(QWidget* widget, TextRole role);

/// The colour of a text.
enum class Ink
{
    Text,
    Secondary, ///< text2
    Faint,     ///< text3: only on surface, canvas and field
    Accent,
    Ok,
    Warn,
    Error,
};
QColor inkColour(Ink ink);

/// The current body text size in pixels, and a length of the 13 px design scaled to it.
double bodySize();
int scaled(double designPixels);
/// False: no animations.
bool motionAllowed();
/// The duration of an animation in milliseconds: 130, or 0 if there are none.
int motionMilliseconds();

struct ThemeChoice
{
    bool dark = false;
    double textScale = 1.0;
    bool desktopFont = false;
    bool reduceMotion = false;
    bool highContrast = false; ///< `control` instead of `border`, `text` instead of `text2`
};

/// Notifies those who cache something from the theme, once all of it is set.
class ThemeWatch : public QObject
{
    Q_OBJECT

Q_SIGNALS:
    void changed();
};
ThemeWatch& themeWatch();

/// Sets palette, style, style sheet and fonts of the whole application; may be called again.
void applyTheme(QApplication& application, const ThemeChoice& choice);
/// Whether the desktop is dark, by the lightness of the platform's palette.
bool desktopIsDark();

} // namespace cannery::ui
