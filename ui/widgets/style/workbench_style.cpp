// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/style/workbench_style.h"

#include "ui/widgets/behaviour/tool_tips.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/menu_shape.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/style_metrics.h"
#include "ui/widgets/style/style_painters.h"
#include "ui/widgets/style/theme.h"

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
#include <optional>

namespace cannery::ui {
namespace {

/// Frames and backgrounds.
bool paintGround(QStyle::PrimitiveElement element, const QStyleOption& option, QPainter& painter,
                 const QWidget* widget)
{
    switch (element) {
    case QStyle::PE_FrameFocusRect:
        if (focusRingsVisible()) {
            paintFocusRing(painter, option.rect, 6);
        }
        return true;
    case QStyle::PE_PanelLineEdit: {
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(&option);
        if (frame && frame->lineWidth > 0) {
            paintFieldFrame(painter, option, widget);
        }
        return true;
    }
    case QStyle::PE_FrameLineEdit:
        return true;
    case QStyle::PE_PanelButtonCommand:
        paintStockButton(painter, option);
        return true;
    case QStyle::PE_PanelButtonTool:
        if (option.state & (QStyle::State_MouseOver | QStyle::State_Sunken | QStyle::State_On)) {
            paintSurface(painter, option.rect, 6, tokens().hover);
        }
        return true;
    case QStyle::PE_Frame:
    case QStyle::PE_FrameWindow:
        painter.setPen(tokens().line);
        painter.drawRect(option.rect.adjusted(0, 0, -1, -1));
        return true;
    case QStyle::PE_PanelMenu:
        paintMenuPanel(painter, option);
        return true;
    case QStyle::PE_FrameMenu:
    case QStyle::PE_FrameStatusBarItem:
    case QStyle::PE_PanelStatusBar:
    case QStyle::PE_PanelMenuBar:
        return true;
    case QStyle::PE_PanelTipLabel:
        paintToolTipPanel(painter, option);
        return true;
    case QStyle::PE_PanelItemViewItem:
    case QStyle::PE_PanelItemViewRow:
        if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(&option)) {
            paintItemGround(painter, *item);
        }
        return true;
    default:
        return false;
    }
}

void paintArrow(QPainter& painter, const QStyleOption& option, const char* name)
{
    paintIcon(painter, option.rect, name, tokens().text2, scaled(12));
}

/// Marks: ticks, arrows, drop indicators.
bool paintMark(QStyle::PrimitiveElement element, const QStyleOption& option, QPainter& painter)
{
    switch (element) {
    case QStyle::PE_IndicatorCheckBox:
    case QStyle::PE_IndicatorItemViewItemCheck:
        paintCheckBox(painter, option);
        return true;
    case QStyle::PE_IndicatorRadioButton:
        paintRadioButton(painter, option);
        return true;
    case QStyle::PE_IndicatorItemViewItemDrop:
        paintDropLine(painter, option);
        return true;
    case QStyle::PE_IndicatorBranch:
        paintBranch(painter, option);
        return true;
    case QStyle::PE_IndicatorHeaderArrow:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(&option)) {
            const bool up = header->sortIndicator == QStyleOptionHeader::SortUp;
            paintIcon(painter, option.rect, up ? "chevron-up" : "chevron-down", tokens().text2,
                      std::min(scaled(12), option.rect.height()));
        }
        return true;
    case QStyle::PE_IndicatorArrowDown:
        paintArrow(painter, option, "chevron-down");
        return true;
    case QStyle::PE_IndicatorArrowUp:
        paintArrow(painter, option, "chevron-up");
        return true;
    case QStyle::PE_IndicatorArrowLeft:
        paintArrow(painter, option, "chevron-left");
        return true;
    case QStyle::PE_IndicatorArrowRight:
        paintArrow(painter, option, "chevron-right");
        return true;
    default:
        return false;
    }
}

/// Next to the last section.
void paintHeaderRest(QPainter& painter, const QRect& where)
{
    painter.fillRect(where, tokens().surface);
    painter.fillRect(QRect(where.left(), where.bottom(), where.width(), 1), tokens().line);
}

bool isOfRows(const QStyleOption* option)
{
    const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
    return header && header->orientation == Qt::Vertical;
}

/// Its text stays grey and regular, also above a selected column.
QStyleOptionHeader quietHeader(const QStyleOptionHeader& header, const QFont& font)
{
    QStyleOptionHeader quiet = header;
    quiet.palette.setColor(QPalette::ButtonText, tokens().text2);
    quiet.state &= ~QStyle::State_On;
    quiet.fontMetrics = QFontMetrics(font);
    return quiet;
}

} // namespace

WorkbenchStyle::WorkbenchStyle() : QProxyStyle("Fusion")
{
    setObjectName("Cannery");
}

int WorkbenchStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                                const QWidget* widget) const
{
    if (metric == PM_DefaultFrameWidth) {
        return qobject_cast<const QMenu*>(widget) ? 0 : 1;
    }
    const std::optional<int> ours = metricOf(metric);
    return ours ? *ours : QProxyStyle::pixelMetric(metric, option, widget);
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
    case SH_ItemView_ShowDecorationSelected:
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
        // Of a row, no more than its words: the cells decide how high it is.
        size.setHeight(isOfRows(option) ? option->fontMetrics.height() + scaled(4)
                                        : std::max(size.height(), scaled(30)));
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
    if (!paintGround(element, *option, *painter, widget) &&
        !paintMark(element, *option, *painter)) {
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void WorkbenchStyle::drawItemText(QPainter* painter, const QRect& rectangle, int flags,
                                  const QPalette& palette, bool /*enabled*/, const QString& text,
                                  QPalette::ColorRole role) const
{
    const QPen pen = painter->pen();
    if (role != QPalette::NoRole) {
        painter->setPen(QPen(palette.brush(role), pen.widthF()));
    }
    paintWords(*painter, rectangle, flags, text);
    painter->setPen(pen);
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
        paintHeaderRest(*painter, option->rect);
        return;
    case CE_HeaderLabel:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            painter->setFont(textFont(TextRole::LabelStrong));
            const QStyleOptionHeader quiet = quietHeader(*header, painter->font());
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
        // Selected rows are tinted: their text keeps its colour, and the ring is around it.
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
    if (auto* menu = qobject_cast<QMenu*>(widget)) {
        // An entry that assistive technology presses leaves the menu open.
        connect(menu, &QMenu::triggered, menu, &QWidget::close, Qt::UniqueConnection);
        if (!widget->testAttribute(Qt::WA_TranslucentBackground)) {
            shapeMenu(*menu);
        }
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
            // Also in Qt's own dialogs: a file's name must not load a picture.
            label->setTextFormat(Qt::PlainText);
        }
    }
}

} // namespace cannery::ui
