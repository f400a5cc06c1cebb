// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <string>

namespace cannery::train {

/// Makes the folder of a new run in `<project>/runs/`: "run-001", "run-002" …, the number after the
/// greatest that is there. Two programs that do the same at once get two folders. Returns the
/// folder.
Result<std::string> createRunFolder(const std::string& projectFolder,
                                    storage::FileSystem& system = storage::realFileSystem());

} // namespace cannery::train
