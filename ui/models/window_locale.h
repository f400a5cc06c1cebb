// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QLocale>

namespace cannery::ui {

/// The locale in which the window shows numbers and dates on a desktop: the desktop's, but with the
/// digits 0 to 9, which files, fields, charts and the engine's sentences have, so that no two kinds
/// of digits stand side by side.
QLocale windowLocale(const QLocale& desktop);

/// From now on numbers and dates are those of the window's locale, and the window is mirrored if
/// the desktop's language is written from right to left. Before any widget is made.
void useLanguage(const QLocale& desktop);

} // namespace cannery::ui
