// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace cannery::ui {

/// From now on a ChartCard tells assistive technology its name, its summary as value, and a table
/// of its points that can be walked cell by cell. Any number of times.
void installChartAccessible();

} // namespace cannery::ui
