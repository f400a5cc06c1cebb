// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QPainter;
class QStyleOption;
class QStyleOptionComplex;
class QStyleOptionComboBox;
class QStyleOptionHeader;
class QStyleOptionMenuItem;
class QStyleOptionProgressBar;
class QStyleOptionSlider;
class QStyleOptionSpinBox;
class QStyleOptionViewItem;
class QWidget;
class QRect;
class QSize;

namespace cannery::ui {

// The parts of WorkbenchStyle, one file per kind of widget.

// style_fields.cpp
void paintFieldFrame(QPainter& painter, const QStyleOption& option, const QWidget* widget);
void paintCheckBox(QPainter& painter, const QStyleOption& option);
void paintRadioButton(QPainter& painter, const QStyleOption& option);
void paintStockButton(QPainter& painter, const QStyleOption& option);
void paintComboBox(QPainter& painter, const QStyleOptionComboBox& option, const QWidget* widget);
void paintSpinBox(QPainter& painter, const QStyleOptionSpinBox& option, const QRect& up,
                  const QRect& down, const QWidget* widget);

// style_ranges.cpp
void paintSlider(QPainter& painter, const QStyleOptionSlider& option, const QRect& groove,
                 const QRect& handle, const QWidget* widget);
void paintScrollBar(QPainter& painter, const QStyleOptionSlider& option, const QRect& handle);
void paintStockProgress(QPainter& painter, const QStyleOptionProgressBar& option);

// style_menus.cpp
void paintMenuPanel(QPainter& painter, const QStyleOption& option);
void paintMenuItem(QPainter& painter, const QStyleOptionMenuItem& option);
QSize menuItemSize(const QStyleOptionMenuItem& option, const QSize& contents);
void paintMenuBarItem(QPainter& painter, const QStyleOptionMenuItem& option);
void paintToolTipPanel(QPainter& painter, const QStyleOption& option);

// style_views.cpp
void paintHeaderSection(QPainter& painter, const QStyleOptionHeader& option);
void paintItemGround(QPainter& painter, const QStyleOptionViewItem& option);
void paintDropLine(QPainter& painter, const QStyleOption& option);
void paintBranch(QPainter& painter, const QStyleOption& option);

} // namespace cannery::ui
