// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/console/read_only_note.h"

#include "storage/io/files.h"
#include "storage/runs/run_store.h"

#include <fmt/core.h>

#include <filesystem>

namespace cannery::app {

void noteIfReadOnly(const Console& console, const std::string& project)
{
    if (project.empty() || !storage::isFolder(project)) {
        return;
    }
    const std::string store = storage::joinPath(project, storage::kRunStoreFile);
    if (storage::isWritable(project) && (!storage::exists(store) || storage::isWritable(store))) {
        return;
    }
    std::error_code ignored;
    const bool isHere = std::filesystem::equivalent(project, ".", ignored);
    console.note(
        fmt::format("{} is read-only; it is opened as it is.", isHere ? "This project" : project));
}

} // namespace cannery::app
