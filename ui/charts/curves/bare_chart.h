// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QChart;
class QGraphicsView;

namespace cannery::ui {

/// A chart that fills its area: no background, margins or animations. The caller sets colours and
/// fonts and follows the theme.
void makeBare(QChart& chart);

/// A view that only shows its scene: no frame, scroll bars, focus or interaction.
void makeBare(QGraphicsView& view);

} // namespace cannery::ui
