// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_commands.h"

#include <functional>

class QMenu;

namespace cannery::ui {

class ChartCommandRunner;

/// The commands of a chart, its x axes and kinds of smoothing. `perform` is called with the chosen
/// command; the runner must live as long as the menu.
void fillChartMenu(QMenu& menu, ChartCommandRunner& runner,
                   const std::function<void(ChartCommand)>& perform);

} // namespace cannery::ui
