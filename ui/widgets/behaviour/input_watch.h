// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QApplication;

namespace cannery::ui {

/// Installs the event filter by which focusRingsVisible() distinguishes keys from mouse. Call once.
void watchInput(QApplication& application);

} // namespace cannery::ui
