// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/io/file_system.h"

#include <string>

namespace cannery::storage {

/// Deletes what a killed program has left in a run's folder: files that were being written
/// ("state.json.tmp-123-4") and SavedModels that were never published ("export/best/temp-…"). Only
/// for the owner of the folder's RunLock, before it writes anything. Returns their number; one that
/// cannot be deleted only wastes space.
int removeStrayFiles(const std::string& runFolder, FileSystem& system = realFileSystem());

} // namespace cannery::storage
