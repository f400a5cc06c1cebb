// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>

namespace cannery::ui {

/// Below, equal to or above 0 as `a` comes before, with or after `b` where people look for it:
/// texts as the locale orders them, numbers within them by value, so that run-2 comes before
/// run-10.
int naturalCompare(const QString& a, const QString& b);

} // namespace cannery::ui
