// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/file_patterns.h"

#include "storage/tabular/csv_errors.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>

namespace cannery::storage {

Result<std::vector<std::string>> expandPatterns(const std::vector<std::string>& patterns)
{
    if (patterns.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoFilesNamed);
    }
    std::vector<std::string> paths;
    for (const std::string& pattern : patterns) {
        struct stat status = {};
        if (::stat(pattern.c_str(), &status) == 0) {
            paths.push_back(pattern);
            continue;
        }
        glob_t found = {};
        const int outcome = ::glob(pattern.c_str(), GLOB_MARK, nullptr, &found);
        for (std::size_t i = 0; i < found.gl_pathc; ++i) {
            const std::string path = found.gl_pathv[i];
            if (!path.ends_with('/')) {
                paths.push_back(path);
            }
        }
        ::globfree(&found);
        if (outcome != 0) {
            return fail(ErrorCode::NotFound, kNoSuchFiles, pattern);
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

} // namespace cannery::storage
