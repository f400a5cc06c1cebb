// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QChart;
class QGraphicsView;

namespace cannery::ui {

/// A chart that fills its place: no background, margins or animations. Its colours and fonts are
/// the caller's, who follows the theme.
void makeBare(QChart& chart);

/// A view that only shows its scene: no frame, scroll bars, focus or interaction.
void makeBare(QGraphicsView& view);

} // namespace cannery::ui
