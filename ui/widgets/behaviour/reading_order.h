// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>

class QWidget;

namespace cannery::ui {

/// The widgets in a window at which Tab stops, in the order in which one reads: line by line, in
/// the direction of the language, and each part as a whole before the next. Forms that are made and
/// made anew while the program runs would otherwise be visited in the order in which they were
/// made.
QList<QWidget*> stopsInReadingOrder(QWidget& root);

/// Moves the focus to the next stop (or the previous one) and scrolls to it. False if the window
/// has no other, or the focus is where Tab does not stop.
bool focusNextInReadingOrder(QWidget& root, bool next);

} // namespace cannery::ui
