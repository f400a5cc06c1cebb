// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// What there is to go on from in a model_dir.
struct RecoveredCheckpoint
{
    std::optional<std::string> latest; ///< prefix; nothing: training begins anew
    std::vector<std::string> warnings; ///< sentences for the run's log
};

/// The newest checkpoint of a model_dir whose every byte is as it was written. Where that is not
/// the one which the state file names, or the state file itself is damaged or gone, the newest
/// whole one is taken, and the state file is rewritten to say so. When somebody has deleted them
/// all, training begins anew, with a warning.
///
/// A checkpoint of ours that is newer than a state file of ours, and that no list has ever named,
/// is taken up: its engine was killed after the last byte of it, before the state file. (Whoever
/// edits the state file to go back to an older checkpoint gets that one.) For the owner of the
/// folder only. "train.checkpoint_all_damaged" when there are checkpoints and none can be read.
Result<RecoveredCheckpoint> recoverLatestCheckpoint(const std::string& modelDir,
                                                    storage::FileSystem& system);

/// The newest checkpoint in a folder, whatever the state file says, whose every byte is as it was
/// written; nothing when there is none. Changes nothing. "train.checkpoint_all_damaged" as above.
Result<std::optional<std::string>> newestWholeCheckpoint(const std::string& modelDir);

/// What is said when a folder with checkpoints has no state file.
std::string noStateFile(const std::string& modelDir);

/// "older checkpoints are there: steps 10, 20", what a message about a checkpoint that cannot be
/// read adds; empty when there is none.
std::string olderCheckpoints(const std::string& prefix);

} // namespace cannery::train
