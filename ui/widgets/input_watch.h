// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QApplication;

namespace cannery::ui {

/// From now on focusRingsVisible() tells keys from mouse. Once.
void watchInput(QApplication& application);

} // namespace cannery::ui
