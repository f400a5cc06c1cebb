// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "storage/runs/run_record.h"
#include "ui/models/runs/run_snapshot.h"

namespace cannery::ui {

/// The row for what the store knows. `folder` is the run's own, absolute.
RunRow runRow(const storage::RunDetails& details, const QString& folder);

/// Only annotations and state; cheap compared with runRow().
void updateRow(RunRow& row, const storage::RunStatus& status);
void updateRow(RunRow& row, const storage::RunAnnotations& annotations);

} // namespace cannery::ui
