// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/frame/palette/palette_model.h"

namespace cannery::ui {

class ActionRegistry;
class ProjectSession;

/// Everything that the palette finds at the moment: actions with their hindrances, pages, runs and
/// their checkpoints, tags, settings.
QList<PaletteEntry> paletteEntries(const ActionRegistry& actions, ProjectSession& session);

} // namespace cannery::ui
