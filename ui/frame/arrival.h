// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"
#include "ui/services/projects/opening.h"

#include <QString>

namespace cannery::ui {

/// The page to show after a project was opened, and the next step on it: the columns of a new
/// project, the fields of a copy, a running training, the existing runs. Empty: stay on the current
/// page. `runs` are loaded.
QString placeAfter(Opening why, bool isEventFolder, const ProjectSnapshot& runs);

} // namespace cannery::ui
