// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "storage/runs/run_record.h"
#include "ui/models/runs/run_snapshot.h"

namespace cannery::ui {

/// The window's name of a state of the store: the same states in the same order.
constexpr RunState runStateOf(storage::RunState state)
{
    return static_cast<RunState>(state);
}
static_assert(runStateOf(storage::RunState::Queued) == RunState::Queued);
static_assert(runStateOf(storage::RunState::Preparing) == RunState::Preparing);
static_assert(runStateOf(storage::RunState::Running) == RunState::Running);
static_assert(runStateOf(storage::RunState::Paused) == RunState::Paused);
static_assert(runStateOf(storage::RunState::Finishing) == RunState::Finishing);
static_assert(runStateOf(storage::RunState::Finished) == RunState::Finished);
static_assert(runStateOf(storage::RunState::Stopped) == RunState::Stopped);
static_assert(runStateOf(storage::RunState::Failed) == RunState::Failed);
static_assert(runStateOf(storage::RunState::Interrupted) == RunState::Interrupted);

} // namespace cannery::ui
