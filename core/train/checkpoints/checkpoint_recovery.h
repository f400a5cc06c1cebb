// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::train {

/// What training can resume from in a model_dir.
struct RecoveredCheckpoint
{
    std::optional<std::string> latest; ///< prefix; without one, training starts from scratch
    std::vector<std::string> warnings; ///< sentences for the run's log
};

/// The newest intact checkpoint of a model_dir. If that is not the one named by the state file, or
/// the state file itself is damaged or missing, the newest intact one is taken and the state file
/// is rewritten accordingly. If all have been deleted, training starts from scratch, with a
/// warning.
///
/// One of our checkpoints that is newer than our state file and has never been listed is adopted:
/// its engine was killed after writing it, before writing the state file. (Anyone who edits the
/// state file to go back to an older checkpoint gets that one.) Only for the owner of the folder.
/// "train.checkpoint_all_damaged" if there are checkpoints and none can be read.
Result<RecoveredCheckpoint> recoverLatestCheckpoint(const std::string& modelDir,
                                                    storage::FileSystem& system);

/// The newest intact checkpoint in a folder, whatever the state file says; nothing if there is
/// none. Changes nothing. "train.checkpoint_all_damaged" as above.
Result<std::optional<std::string>> newestWholeCheckpoint(const std::string& modelDir);

/// The message for a folder that has checkpoints but no state file.
std::string noStateFile(const std::string& modelDir);

/// "older checkpoints are there: steps 10, 20", appended to the message about an unreadable
/// checkpoint; empty if there are none.
std::string olderCheckpoints(const std::string& prefix);

} // namespace cannery::train
