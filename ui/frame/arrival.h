// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/run_snapshot.h"
#include "ui/services/opening.h"

#include <QString>

namespace cannery::ui {

/// The place where a person sees what came of opening a project, with the next step on it: the
/// columns of a new one, the fields of a copy, a training that goes on, the runs that there are.
/// Empty: the window stays where it is. `runs` are loaded.
QString placeAfter(Opening why, bool isEventFolder, const ProjectSnapshot& runs);

} // namespace cannery::ui
