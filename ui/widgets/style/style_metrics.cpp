// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/style/style_metrics.h"

#include "ui/widgets/style/theme.h"

#include <QAbstractSpinBox>
#include <QStyleOption>

#include <algorithm>
#include <array>
#include <utility>

namespace cannery::ui {
namespace {

constexpr int kScrollBar = 12;
constexpr int kShortestHandle = 28;

/// Design pixels.
constexpr std::array<std::pair<QStyle::PixelMetric, int>, 34> kMetrics{{
    {QStyle::PM_LayoutHorizontalSpacing, 8},
    {QStyle::PM_LayoutVerticalSpacing, 8},
    {QStyle::PM_CheckBoxLabelSpacing, 8},
    {QStyle::PM_RadioButtonLabelSpacing, 8},
    {QStyle::PM_LayoutLeftMargin, 12},
    {QStyle::PM_LayoutRightMargin, 12},
    {QStyle::PM_LayoutTopMargin, 12},
    {QStyle::PM_LayoutBottomMargin, 12},
    {QStyle::PM_SmallIconSize, 18},
    {QStyle::PM_ButtonIconSize, 18},
    {QStyle::PM_IndicatorWidth, 18},
    {QStyle::PM_IndicatorHeight, 18},
    {QStyle::PM_ExclusiveIndicatorWidth, 18},
    {QStyle::PM_ExclusiveIndicatorHeight, 18},
    {QStyle::PM_ListViewIconSize, 16},
    {QStyle::PM_ToolTipLabelFrameWidth, 8},
    {QStyle::PM_ScrollBarExtent, kScrollBar},
    {QStyle::PM_ScrollBarSliderMin, kShortestHandle},
    {QStyle::PM_ScrollView_ScrollBarSpacing, 0},
    {QStyle::PM_SliderThickness, 20},
    {QStyle::PM_SliderControlThickness, 20},
    {QStyle::PM_SliderLength, 16},
    {QStyle::PM_MenuPanelWidth, 0},
    {QStyle::PM_MenuHMargin, 6},
    {QStyle::PM_MenuVMargin, 6},
    {QStyle::PM_MenuBarPanelWidth, 0},
    {QStyle::PM_MenuBarItemSpacing, 2},
    {QStyle::PM_MenuBarHMargin, 6},
    {QStyle::PM_MenuBarVMargin, 0},
    {QStyle::PM_HeaderMargin, 8},
    {QStyle::PM_HeaderMarkSize, 12},
    {QStyle::PM_FocusFrameHMargin, 8},
    {QStyle::PM_ButtonShiftHorizontal, 0},
    {QStyle::PM_ButtonShiftVertical, 0},
}};

/// The handle of a scroll bar without buttons.
QRect scrollHandle(const QStyleOptionSlider& option)
{
    const bool vertical = option.orientation == Qt::Vertical;
    const QRect groove = option.rect;
    const int length = vertical ? groove.height() : groove.width();
    // In 64 bits: two ints can differ by more than an int holds.
    const qint64 range = static_cast<qint64>(option.maximum) - option.minimum;
    if (range <= 0) {
        return groove;
    }
    const qint64 whole = range + option.pageStep;
    const int handle = std::min(
        length, std::max(scaled(kShortestHandle),
                         static_cast<int>(static_cast<qint64>(length) * option.pageStep / whole)));
    const int offset = QStyle::sliderPositionFromValue(
        option.minimum, option.maximum, option.sliderPosition, length - handle, option.upsideDown);
    return vertical ? QRect(groove.left(), groove.top() + offset, groove.width(), handle)
                    : QRect(groove.left() + offset, groove.top(), handle, groove.height());
}

} // namespace

std::optional<int> metricOf(QStyle::PixelMetric metric)
{
    if (metric == QStyle::PM_SplitterWidth) {
        return 1; // one line, whatever the font size
    }
    const auto* const row = std::find_if(kMetrics.begin(), kMetrics.end(),
                                         [&](const auto& known) { return known.first == metric; });
    return row == kMetrics.end() ? std::nullopt : std::optional(scaled(row->second));
}

QRect scrollPart(const QStyleOptionSlider& option, QStyle::SubControl part)
{
    const QRect handle = scrollHandle(option);
    const QRect all = option.rect;
    const bool vertical = option.orientation == Qt::Vertical;
    switch (part) {
    case QStyle::SC_ScrollBarSlider:
        return handle;
    case QStyle::SC_ScrollBarGroove:
        return all;
    case QStyle::SC_ScrollBarSubPage:
        return vertical ? QRect(all.topLeft(), QPoint(all.right(), handle.top() - 1))
                        : QRect(all.topLeft(), QPoint(handle.left() - 1, all.bottom()));
    case QStyle::SC_ScrollBarAddPage:
        return vertical ? QRect(QPoint(all.left(), handle.bottom() + 1), all.bottomRight())
                        : QRect(QPoint(handle.right() + 1, all.top()), all.bottomRight());
    default:
        return {};
    }
}

QRect spinPart(const QStyleOptionSpinBox& option, QStyle::SubControl part)
{
    const QRect all = option.rect;
    const int arrows =
        option.buttonSymbols == QAbstractSpinBox::NoButtons ? 0 : scaled(kSpinArrows);
    const int middle = all.top() + all.height() / 2;
    QRect result;
    switch (part) {
    case QStyle::SC_SpinBoxUp:
        result = QRect(all.right() - arrows, all.top() + 1, arrows, middle - all.top() - 1);
        break;
    case QStyle::SC_SpinBoxDown:
        result = QRect(all.right() - arrows, middle, arrows, all.bottom() - middle);
        break;
    case QStyle::SC_SpinBoxEditField:
        result = all.adjusted(scaled(kFieldInset) - 2, 2, -arrows - 2, -2);
        break;
    default:
        return all;
    }
    return QStyle::visualRect(option.direction, all, result);
}

} // namespace cannery::ui
