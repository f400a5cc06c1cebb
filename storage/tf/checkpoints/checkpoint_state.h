// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::storage {

/// The file `checkpoint` of a model folder: the list of its checkpoints.
struct CheckpointState
{
    std::string latest;             ///< path of the newest, as returned by latestCheckpoint()
    std::vector<std::string> all;   ///< oldest first, `latest` last
    std::vector<double> timestamps; ///< seconds since 1970 for each of `all`, or empty
    double lastPreserved = 0;       ///< TensorFlow's last_preserved_timestamp; 0 if absent

    bool operator==(const CheckpointState&) const = default;
};

/// The state of a folder; nothing if there is no such file. Relative paths in the file are resolved
/// against the folder. A file that cannot be parsed is DataLoss.
///
/// A path in the file never leads out of the folder: an absolute one (of a folder that was moved
/// since) means the file of that name in it, a relative one with ".." is DataLoss.
Result<std::optional<CheckpointState>> readCheckpointState(const std::string& folder);

/// Whether a folder's file is unchanged since writeCheckpointState() wrote it: neither written by
/// TensorFlow nor edited.
bool isOwnCheckpointState(const std::string& folder);

/// Writes the file, atomically; paths below the folder are stored relative to it, so that the
/// folder can be moved.
Result<void> writeCheckpointState(const std::string& folder, const CheckpointState& state,
                                  FileSystem& system = realFileSystem());

/// The prefix of the newest checkpoint of a folder as found by tf.train.latest_checkpoint: by the
/// state file, and only if its index exists. Nothing if there is none.
Result<std::optional<std::string>> latestCheckpoint(const std::string& folder);

/// The step in a checkpoint's name: "model.ckpt-200" → 200.
std::optional<std::int64_t> checkpointStep(const std::string& prefix);

} // namespace cannery::storage
