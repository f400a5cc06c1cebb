// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"

#include <QString>

namespace cannery::ui {

/// What a run's numbers mean, for somebody who does not know the metric: beside what guessing would
/// reach, and how far the number itself is to be trusted. Sentences; empty if nothing is known to
/// compare with.
QString verdictOf(const RunRow& run);

} // namespace cannery::ui
