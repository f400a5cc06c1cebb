#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <string>

namespace cannery::train {

/// "2026-11-21_143000_titanic": local time and the experiment's name (or its file's) in small
/// letters, digits and '-'.
std::string runName(const std::string& experimentName, double wallTime);

/// Makes the folder of a new run in `<project>/runs/`. When the name is taken ("…-2", "…-3") the
/// next one is, also by programs that do the same at once. Returns the folder.
Result<std::string> createRunFolder(const std::string& projectFolder, const std::string& name,
                                    storage::FileSystem& system = storage::realFileSystem());

} // namespace cannery::train
