// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/pages/train/train_facts.h"

namespace cannery::ui {

/// Why a run ended as it did, with what helps first: a full disk wants space and a NaN another rate
/// before going on helps. Empty for a run that ended well. `events`: its log, whose last error
/// reports the reason where the run could not write it down.
HealthNote endNote(const RunRow& run, RunState state, const QList<LogEntry>& events);

} // namespace cannery::ui
