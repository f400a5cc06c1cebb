// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace cannery::ui {

/// Lets assistive technology use what Qt 6.4 keeps from it. Combo boxes have their own name (Qt
/// gives the current item), the current item as value, and actions that go to the next and previous
/// item, as the arrow keys do; editable ones stay as they are. Tool buttons can be pressed. A
/// scroll area may be asked for a scroll bar that has gone. Installs once.
void installControlAccessible();

} // namespace cannery::ui
