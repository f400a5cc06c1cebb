// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace cannery::ui {

/// Makes ChartCards report to assistive technology: their name, their summary as value, and a table
/// of their points that can be walked cell by cell. May be called repeatedly.
void installChartAccessible();

} // namespace cannery::ui
