// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QColor>
#include <QRectF>

class QPainter;
class QWidget;

namespace cannery::ui {

/// True while a person works with the keys: focus rings are drawn.
bool focusRingsVisible();
/// Whether this widget draws its ring now.
bool showsFocusRing(const QWidget& widget);
/// Two pixels of the accent (or `colour`) just inside the rectangle.
void paintFocusRing(QPainter& painter, const QRectF& where, double radius, const QColor& colour);
void paintFocusRing(QPainter& painter, const QRectF& where, double radius);

enum class Elevation
{
    Menu,   ///< 10 px blur, 4 px down
    Dialog, ///< 24 px blur, 8 px down
};
/// Room that the shadow takes around the surface, in pixels.
int shadowMargin(Elevation elevation);
/// The shadow of a round-cornered surface, from nine cached slices.
void paintShadow(QPainter& painter, const QRectF& surface, double radius, Elevation elevation);
/// A filled round-cornered surface with an outline (none when invalid).
void paintSurface(QPainter& painter, const QRectF& where, double radius, const QColor& fill,
                  const QColor& outline = {});

/// `share` of `over` on `under`.
QColor mixed(const QColor& under, const QColor& over, double share);
/// Contrast of two opaque colours as WCAG 2 counts it, 1 … 21.
double contrast(const QColor& a, const QColor& b);

} // namespace cannery::ui
