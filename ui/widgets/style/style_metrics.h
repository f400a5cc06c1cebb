// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStyle>

#include <optional>

class QStyleOptionSlider;
class QStyleOptionSpinBox;

namespace cannery::ui {

// Sizes and positions in stock widgets.

// Design pixels.
inline constexpr int kFieldHeight = 30;
inline constexpr int kFieldInset = 8;
inline constexpr int kArrowRoom = 28;
inline constexpr int kSpinArrows = 22;

/// Pixels, for the metrics that we define.
std::optional<int> metricOf(QStyle::PixelMetric metric);

/// A part of a scroll bar without buttons, not mirrored.
QRect scrollPart(const QStyleOptionSlider& option, QStyle::SubControl part);
/// Mirrored in right-to-left layouts.
QRect spinPart(const QStyleOptionSpinBox& option, QStyle::SubControl part);

} // namespace cannery::ui
