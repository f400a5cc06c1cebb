// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/graphs/saved_model.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::storage {

/// The contents of a SavedModel folder.
struct SavedModelContent
{
    std::vector<MetaGraph> metaGraphs;
    /// "<folder>/variables/variables", for CheckpointReader; nothing if there are no variables.
    std::optional<std::string> checkpointPrefix;
};

/// Whether a folder has a `saved_model.pb` or `.pbtxt`.
bool isSavedModel(const std::string& folder);

/// Reads `saved_model.pb` (or `.pbtxt`) of a folder. One that we wrote has checksums of its files:
/// DataLoss names the file that has changed.
Result<SavedModelContent> readSavedModel(const std::string& folder);

/// Reads a SavedModel back and checks that a loader will find everything: every node and tensor
/// named by signatures, saver, collections and inputs exists, every variable is in the checkpoint
/// with its dtype, shape and a valid checksum, every asset is a file within the folder, and every
/// file has the checksum that it was written with. DataLoss says what is missing.
Result<void> checkSavedModel(const std::string& folder);

} // namespace cannery::storage
