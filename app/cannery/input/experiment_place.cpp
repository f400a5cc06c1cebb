// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/input/experiment_place.h"

#include <system_error>

namespace cannery::app {

namespace fs = std::filesystem;

fs::path withoutSlash(const fs::path& table)
{
    const fs::path name = table.filename();
    if (name == "." || name == "..") {
        return withoutSlash(fs::absolute(table).lexically_normal());
    }
    return table.has_filename() ? table : table.parent_path();
}

fs::path experimentBeside(const fs::path& table)
{
    std::error_code ignored;
    fs::path beside = withoutSlash(table);
    // A folder's name has no extension: that of a data set may be its version, 1.0.0.
    return fs::is_directory(beside, ignored) ? beside += ".cannery"
                                             : beside.replace_extension(".cannery");
}

std::string nameOfTable(const fs::path& table)
{
    std::error_code ignored;
    const fs::path plain = withoutSlash(table);
    return (fs::is_directory(plain, ignored) ? plain.filename() : plain.stem()).string();
}

std::string relativeTo(const fs::path& folder, const fs::path& table)
{
    std::error_code code;
    const fs::path relative =
        fs::relative(withoutSlash(table), folder.empty() ? "." : folder, code);
    return code || relative.empty() ? fs::absolute(withoutSlash(table)).string()
                                    : relative.string();
}

} // namespace cannery::app
