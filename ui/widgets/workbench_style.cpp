// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/workbench_style.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/painting.h"
#include "ui/widgets/style_painters.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/tool_tips.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QStyleOption>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kFieldHeight = 30;
constexpr int kFieldInset = 8;
constexpr int kArrowRoom = 28;
constexpr int kSpinArrows = 22;
constexpr int kScrollBar = 12;
constexpr int kShortestHandle = 28;

/// The handle of a scroll bar without buttons.
QRect scrollHandle(const QStyleOptionSlider& option)
{
    const bool vertical = option.orientation == Qt::Vertical;
    const QRect groove = option.rect;
    const int length = vertical ? groove.height() : groove.width();
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

} // namespace

WorkbenchStyle::WorkbenchStyle() : QProxyStyle("Fusion")
{
    setObjectName("Cannery");
}

int WorkbenchStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                                const QWidget* widget) const
{
    switch (metric) {
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing:
    case PM_CheckBoxLabelSpacing:
    case PM_RadioButtonLabelSpacing:
        return scaled(8);
    case PM_LayoutLeftMargin:
    case PM_LayoutRightMargin:
    case PM_LayoutTopMargin:
    case PM_LayoutBottomMargin:
        return scaled(12);
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
        return scaled(18);
    case PM_ListViewIconSize:
        return scaled(16);
    case PM_ToolTipLabelFrameWidth:
        return scaled(8);
    case PM_SplitterWidth:
        return 1;
    case PM_ScrollBarExtent:
        return scaled(kScrollBar);
    case PM_ScrollBarSliderMin:
        return scaled(kShortestHandle);
    case PM_ScrollView_ScrollBarSpacing:
        return 0;
    case PM_SliderThickness:
    case PM_SliderControlThickness:
        return scaled(20);
    case PM_SliderLength:
        return scaled(16);
    case PM_DefaultFrameWidth:
        return qobject_cast<const QMenu*>(widget) ? 0 : 1;
    case PM_MenuPanelWidth:
        return 0;
    case PM_MenuHMargin:
    case PM_MenuVMargin:
        return scaled(6);
    case PM_MenuBarPanelWidth:
        return 0;
    case PM_MenuBarItemSpacing:
        return scaled(2);
    case PM_MenuBarHMargin:
        return scaled(6);
    case PM_MenuBarVMargin:
        return 0;
    case PM_HeaderMargin:
        return scaled(8);
    case PM_HeaderMarkSize:
        return scaled(12);
    case PM_FocusFrameHMargin:
        return scaled(8);
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int WorkbenchStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                              QStyleHintReturn* returnData) const
{
    switch (hint) {
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
    case SH_ItemView_ActivateItemOnSingleClick:
    case SH_ComboBox_Popup:
    case SH_MenuBar_AltKeyNavigation:
        return hint == SH_MenuBar_AltKeyNavigation ? 1 : 0;
    case SH_Slider_AbsoluteSetButtons:
        return Qt::LeftButton;
    case SH_Widget_Animation_Duration:
        return motionMilliseconds();
    case SH_Widget_Animate:
        return motionAllowed() ? 1 : 0;
    case SH_Header_ArrowAlignment:
        return Qt::AlignRight | Qt::AlignVCenter;
    case SH_ToolTip_WakeUpDelay:
        return 500;
    case SH_Menu_Scrollable:
        return 1;
    case SH_ItemView_ShowDecorationSelected:
        return 1;
    case SH_Menu_MouseTracking:
    case SH_MenuBar_MouseTracking:
        return 1;
    default:
        return QProxyStyle::styleHint(hint, option, widget, returnData);
    }
}

QSize WorkbenchStyle::sizeFromContents(ContentsType type, const QStyleOption* option,
                                       const QSize& contents, const QWidget* widget) const
{
    QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    switch (type) {
    case CT_LineEdit: {
        const auto* field = qobject_cast<const QLineEdit*>(widget);
        if (!field || field->hasFrame()) {
            size.setHeight(std::max(size.height(), scaled(kFieldHeight)));
        }
        return size;
    }
    case CT_SpinBox:
        size.setWidth(contents.width() + scaled(kSpinArrows + 2 * kFieldInset));
        size.setHeight(std::max(size.height(), scaled(kFieldHeight)));
        return size;
    case CT_PushButton:
        size.setHeight(std::max(size.height(), scaled(kFieldHeight)));
        return size;
    case CT_ComboBox:
        size.setHeight(std::max(contents.height() + scaled(8), scaled(kFieldHeight)));
        size.setWidth(contents.width() + scaled(kFieldInset + kArrowRoom + 6));
        return size;
    case CT_MenuItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            return menuItemSize(*item, contents);
        }
        return size;
    case CT_MenuBarItem:
        return {contents.width() + scaled(22), std::max(contents.height(), scaled(36))};
    case CT_HeaderSection:
        size.setHeight(std::max(size.height(), scaled(30)));
        return size;
    case CT_ItemViewItem:
        size.setHeight(std::max(size.height(), scaled(26)));
        return size;
    default:
        return size;
    }
}

QRect WorkbenchStyle::subElementRect(SubElement element, const QStyleOption* option,
                                     const QWidget* widget) const
{
    if (element == SE_LineEditContents && option) {
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        if (frame && frame->lineWidth > 0) {
            return option->rect.adjusted(scaled(kFieldInset) - 2, 2, -(scaled(kFieldInset) - 2),
                                         -2);
        }
    }
    if (element == SE_ProgressBarGroove || element == SE_ProgressBarContents) {
        return option->rect;
    }
    return QProxyStyle::subElementRect(element, option, widget);
}

QRect WorkbenchStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                                     SubControl part, const QWidget* widget) const
{
    if (control == CC_ScrollBar) {
        if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
            return QStyle::visualRect(bar->orientation == Qt::Horizontal ? bar->direction
                                                                         : Qt::LeftToRight,
                                      bar->rect, scrollPart(*bar, part));
        }
    }
    if (control == CC_SpinBox) {
        if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option)) {
            return spinPart(*spin, part);
        }
    }
    if (control == CC_ComboBox && part == SC_ComboBoxEditField) {
        return visualRect(option->direction, option->rect,
                          option->rect.adjusted(scaled(kFieldInset), 1, -scaled(kArrowRoom), -1));
    }
    return QProxyStyle::subControlRect(control, option, part, widget);
}

void WorkbenchStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                   QPainter* painter, const QWidget* widget) const
{
    switch (element) {
    case PE_FrameFocusRect:
        if (focusRingsVisible()) {
            paintFocusRing(*painter, option->rect, 6);
        }
        return;
    case PE_PanelLineEdit: {
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        if (frame && frame->lineWidth > 0) {
            paintFieldFrame(*painter, *option, widget);
        }
        return;
    }
    case PE_FrameLineEdit:
        return;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        paintCheckBox(*painter, *option);
        return;
    case PE_IndicatorRadioButton:
        paintRadioButton(*painter, *option);
        return;
    case PE_PanelButtonCommand:
        paintStockButton(*painter, *option);
        return;
    case PE_PanelButtonTool:
        if (option->state & (State_MouseOver | State_Sunken | State_On)) {
            paintSurface(*painter, option->rect, 6, tokens().hover);
        }
        return;
    case PE_Frame:
    case PE_FrameWindow:
        painter->setPen(tokens().line);
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        return;
    case PE_PanelMenu:
        paintMenuPanel(*painter, *option);
        return;
    case PE_FrameMenu:
    case PE_FrameStatusBarItem:
    case PE_PanelStatusBar:
    case PE_PanelMenuBar:
        return;
    case PE_PanelTipLabel:
        paintToolTipPanel(*painter, *option);
        return;
    case PE_PanelItemViewItem:
    case PE_PanelItemViewRow:
        if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) {
            paintItemGround(*painter, *item);
        }
        return;
    case PE_IndicatorItemViewItemDrop:
        paintDropLine(*painter, *option);
        return;
    case PE_IndicatorBranch:
        paintBranch(*painter, *option);
        return;
    case PE_IndicatorHeaderArrow:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            const bool up = header->sortIndicator == QStyleOptionHeader::SortUp;
            paintIcon(*painter, option->rect, up ? "chevron-up" : "chevron-down", tokens().text2,
                      std::min(scaled(12), option->rect.height()));
        }
        return;
    case PE_IndicatorArrowDown:
        paintIcon(*painter, option->rect, "chevron-down", tokens().text2, scaled(12));
        return;
    case PE_IndicatorArrowUp:
        paintIcon(*painter, option->rect, "chevron-up", tokens().text2, scaled(12));
        return;
    case PE_IndicatorArrowLeft:
        paintIcon(*painter, option->rect, "chevron-left", tokens().text2, scaled(12));
        return;
    case PE_IndicatorArrowRight:
        paintIcon(*painter, option->rect, "chevron-right", tokens().text2, scaled(12));
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void WorkbenchStyle::drawControl(ControlElement element, const QStyleOption* option,
                                 QPainter* painter, const QWidget* widget) const
{
    switch (element) {
    case CE_MenuItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            paintMenuItem(*painter, *item);
            return;
        }
        break;
    case CE_MenuBarItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            paintMenuBarItem(*painter, *item);
            return;
        }
        break;
    case CE_MenuBarEmptyArea:
        painter->fillRect(option->rect, tokens().chrome);
        return;
    case CE_HeaderSection:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            paintHeaderSection(*painter, *header);
            return;
        }
        break;
    case CE_HeaderEmptyArea:
        painter->fillRect(option->rect, tokens().surface);
        painter->fillRect(
            QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
            tokens().line);
        return;
    case CE_HeaderLabel:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            QStyleOptionHeader quiet = *header;
            quiet.palette.setColor(QPalette::ButtonText, tokens().text2);
            quiet.state &= ~State_On;
            painter->setFont(textFont(TextRole::LabelStrong));
            quiet.fontMetrics = QFontMetrics(painter->font());
            QProxyStyle::drawControl(element, &quiet, painter, widget);
            return;
        }
        break;
    case CE_ProgressBar:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option)) {
            paintStockProgress(*painter, *bar);
            return;
        }
        break;
    case CE_Splitter:
        painter->fillRect(option->rect, tokens().line);
        return;
    case CE_ItemViewItem:
        // Selected rows are tinted: their text keeps its colour, and the ring stands around it.
        if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) {
            QStyleOptionViewItem quiet = *item;
            quiet.palette.setColor(QPalette::HighlightedText, item->palette.color(QPalette::Text));
            QProxyStyle::drawControl(element, &quiet, painter, widget);
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void WorkbenchStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                        QPainter* painter, const QWidget* widget) const
{
    const auto part = [&](SubControl which) {
        return proxy()->subControlRect(control, option, which, widget);
    };
    if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option);
        combo && control == CC_ComboBox) {
        paintComboBox(*painter, *combo, widget);
        return;
    }
    if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
        spin && control == CC_SpinBox) {
        paintSpinBox(*painter, *spin, part(SC_SpinBoxUp), part(SC_SpinBoxDown), widget);
        return;
    }
    if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
        if (control == CC_Slider) {
            paintSlider(*painter, *slider, part(SC_SliderGroove), part(SC_SliderHandle), widget);
            return;
        }
        if (control == CC_ScrollBar) {
            paintScrollBar(*painter, *slider, part(SC_ScrollBarSlider));
            return;
        }
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QIcon WorkbenchStyle::standardIcon(StandardPixmap which, const QStyleOption* option,
                                   const QWidget* widget) const
{
    switch (which) {
    case SP_LineEditClearButton:
        return icon("x", tokens().text2);
    case SP_MessageBoxWarning:
        return icon("alert-triangle", tokens().warnIcon);
    case SP_MessageBoxCritical:
        return icon("alert-circle", tokens().err);
    case SP_MessageBoxInformation:
        return icon("info-circle", tokens().accent);
    case SP_MessageBoxQuestion:
        return icon("help-circle", tokens().accent);
    default:
        return QProxyStyle::standardIcon(which, option, widget);
    }
}

void WorkbenchStyle::polish(QWidget* widget)
{
    QProxyStyle::polish(widget);
    if (qobject_cast<QMenu*>(widget)) {
        widget->setAttribute(Qt::WA_TranslucentBackground);
        widget->setWindowFlag(Qt::FramelessWindowHint);
        widget->setWindowFlag(Qt::NoDropShadowWindowHint);
    }
    if (qobject_cast<QAbstractSpinBox*>(widget) || qobject_cast<QLineEdit*>(widget) ||
        qobject_cast<QHeaderView*>(widget) || qobject_cast<QComboBox*>(widget)) {
        widget->setAttribute(Qt::WA_Hover);
    }
    if (auto* label = qobject_cast<QLabel*>(widget)) {
        if (label->inherits("QTipLabel")) {
            makeTipPlain(*label);
        } else if (label->textFormat() == Qt::AutoText) {
            // Also in Qt's own dialogs: a file's name is no picture of another file.
            label->setTextFormat(Qt::PlainText);
        }
    }
}

} // namespace cannery::ui
