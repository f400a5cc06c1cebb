// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/stray_files.h"

#include "storage/io/atomic_write.h"
#include "storage/io/files.h"

#include <string_view>
#include <vector>

namespace cannery::storage {
namespace {

std::vector<std::string> namesIn(const std::string& folder)
{
    return isFolder(folder) ? listFolder(folder).value_or(std::vector<std::string>())
                            : std::vector<std::string>();
}

bool isDigits(std::string_view text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "temp-<seconds>", as writeSavedModel() makes them.
bool isUnpublished(std::string_view name)
{
    constexpr std::string_view kBegin = "temp-";
    return name.substr(0, kBegin.size()) == kBegin && isDigits(name.substr(kBegin.size()));
}

} // namespace

int removeStrayFiles(const std::string& runFolder, FileSystem& system)
{
    int removed = 0;
    for (const std::string& name : namesIn(runFolder)) {
        if (ownerOfTemporary(name)) {
            removed += system.removeFile(joinPath(runFolder, name)) ? 1 : 0;
        }
    }
    const std::string exports = joinPath(runFolder, "export");
    for (const std::string& exporter : namesIn(exports)) {
        const std::string folder = joinPath(exports, exporter);
        for (const std::string& name : namesIn(folder)) {
            if (isUnpublished(name)) {
                removed += removeTree(joinPath(folder, name), system) ? 1 : 0;
            }
        }
    }
    return removed;
}

} // namespace cannery::storage
