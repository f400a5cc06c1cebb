// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QApplication;

namespace cannery::ui {

/// Installs the event filter by which the wheel changes a box (combo box, spin box, slider) only
/// while it has the focus: elsewhere what it stands in scrolls. No box gets the focus by the wheel.
/// Call once, before widgets are shown.
void guardWheel(QApplication& application);

} // namespace cannery::ui
