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

/// The colours of one theme; `theme_tokens.h` holds the two tables, nothing else writes a colour.
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

/// The tokens that the application shows now. Custom widgets read them while they paint and drop
/// their pixmaps on QEvent::PaletteChange. GUI thread.
const ThemeTokens& tokens();
/// Colour of a run's slot, 0 … 15.
QColor seriesColour(int slot);

/// The roles of type; sizes are multiples of the body size, which follows desktop and text scale.
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
/// The widget keeps the font of this role when theme or text scale change.
void useFont(QWidget* widget, TextRole role);

/// What words are written with.
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

/// Pixels of the body text now, and a length of the 13 px design in them.
double bodySize();
int scaled(double designPixels);
/// False: no animation may run.
bool motionAllowed();
/// Length of a movement now: 130, or 0 where none may run.
int motionMilliseconds();

struct ThemeChoice
{
    bool dark = false;
    double textScale = 1.0;
    bool desktopFont = false;
    bool reduceMotion = false;
    bool highContrast = false; ///< `control` in place of `border`, `text` in place of `text2`
};

/// Tells whoever cached something of the theme, after all of it is set.
class ThemeWatch : public QObject
{
    Q_OBJECT

Q_SIGNALS:
    void changed();
};
ThemeWatch& themeWatch();

/// Sets palette, style, style sheet and fonts of the whole application; again at any time.
void applyTheme(QApplication& application, const ThemeChoice& choice);
/// Whether the desktop is dark, by the palette that the platform gave.
bool desktopIsDark();

} // namespace cannery::ui
