// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/projects/recent_projects.h"

namespace cannery::ui {

/// Fills in what Home shows about a project, from its store and event files, read-only. Blocks: for
/// worker threads.
RecentProject withFacts(RecentProject project);

/// At most `count` values that keep the shape: the mean of each stretch.
QList<double> thinned(const QList<double>& values, qsizetype count);

} // namespace cannery::ui
