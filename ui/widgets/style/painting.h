// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>

class QPainter;
class QWidget;

namespace cannery::ui {

/// True while the user works with the keyboard: focus rings are drawn.
bool focusRingsVisible();
/// Whether this widget draws its focus ring now.
bool showsFocusRing(const QWidget& widget);
/// Draws a ring of two pixels in the accent colour (or `colour`) just inside the rectangle.
void paintFocusRing(QPainter& painter, const QRectF& where, double radius, const QColor& colour);
void paintFocusRing(QPainter& painter, const QRectF& where, double radius);

enum class Elevation
{
    Menu,   ///< 10 px blur, 4 px down
    Dialog, ///< 24 px blur, 8 px down
};
/// The room for the shadow around the surface, in pixels.
int shadowMargin(Elevation elevation);
/// The shadow of a surface with rounded corners, from nine cached slices.
void paintShadow(QPainter& painter, const QRectF& surface, double radius, Elevation elevation);
/// A filled surface with rounded corners and an outline (none if invalid).
void paintSurface(QPainter& painter, const QRectF& where, double radius, const QColor& fill,
                  const QColor& outline = {});

/// Draws a text as QPainter::drawText() does, but with the base direction of its own words: an
/// English sentence in a mirrored window keeps its full stop at its end.
void paintWords(QPainter& painter, const QRectF& where, int flags, const QString& text);

/// Mixes `share` of `over` into `under`.
QColor mixed(const QColor& under, const QColor& over, double share);
/// Contrast of two opaque colours by WCAG 2, 1 to 21.
double contrast(const QColor& a, const QColor& b);

} // namespace cannery::ui
