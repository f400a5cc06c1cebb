// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <string>

namespace cannery::train {

/// Creates the folder of a new run in `<project>/runs/`: "run-001", "run-002" …, one above the
/// greatest existing number. Two programs that do this at the same time get two folders. Returns
/// the folder.
Result<std::string> createRunFolder(const std::string& projectFolder,
                                    storage::FileSystem& system = storage::realFileSystem());

} // namespace cannery::train
