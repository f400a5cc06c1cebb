// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/file_patterns.h"

#include "storage/io/files.h"
#include "storage/tabular/csv/csv_errors.h"

#include <fmt/core.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace cannery::storage {

namespace {

constexpr ErrorKind kIsAUrl{
    "csv.is_a_url", "{0} is a URL, and tables are read from files. Download it first, with: "
                    "{1}, and name that file."};
constexpr ErrorKind kIsAFolder{"csv.is_a_folder",
                               "{} is a folder. Name the file in it that is the table{}."};

/// The URL in a pattern that may have become a path; empty if there is none.
std::string_view urlIn(std::string_view pattern)
{
    const std::size_t colon = pattern.find("://");
    if (colon == std::string_view::npos || colon == 0) {
        return {};
    }
    const std::size_t slash = pattern.rfind('/', colon);
    const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
    const std::string_view scheme = pattern.substr(begin, colon - begin);
    const bool isScheme =
        !scheme.empty() && std::all_of(scheme.begin(), scheme.end(), [](unsigned char letter) {
            return std::isalnum(letter) != 0 || letter == '+' || letter == '-';
        });
    return isScheme ? pattern.substr(begin) : std::string_view();
}

std::string downloadOf(std::string_view url)
{
    return url.starts_with("s3://")   ? fmt::format("aws s3 cp \"{}\" .", url)
           : url.starts_with("gs://") ? fmt::format("gcloud storage cp \"{}\" .", url)
                                      : fmt::format("curl -LO \"{}\"", url);
}

/// ", such as a.csv or b.csv", of the files in a folder.
std::string examplesIn(const std::string& folder)
{
    constexpr std::size_t kMost = 3;
    std::string text;
    std::size_t count = 0;
    const Result<std::vector<std::string>> names = listFolder(folder);
    for (const std::string& name : names.value_or(std::vector<std::string>())) {
        const std::string path = joinPath(folder, name);
        if (count < kMost && !name.starts_with('.') && !isFolder(path)) {
            text += (count == 0 ? ", such as " : " or ") + path;
            ++count;
        }
    }
    return text;
}

} // namespace

Result<std::vector<std::string>> expandToFiles(const std::vector<std::string>& patterns)
{
    CANNERY_TRY_ASSIGN(std::vector<std::string> paths, expandPatterns(patterns));
    for (const std::string& path : paths) {
        if (isFolder(path)) {
            return fail(ErrorCode::InvalidArgument, kIsAFolder, path, examplesIn(path));
        }
    }
    return paths;
}

Result<std::vector<std::string>> expandPatterns(const std::vector<std::string>& patterns)
{
    if (patterns.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoFilesNamed);
    }
    std::vector<std::string> paths;
    for (const std::string& pattern : patterns) {
        struct stat status = {};
        // A file that exists is taken by its name, even if that contains brackets or asterisks.
        if (::stat(pattern.c_str(), &status) == 0) {
            paths.push_back(pattern);
            continue;
        }
        if (const std::string_view url = urlIn(pattern); !url.empty()) {
            return fail(ErrorCode::InvalidArgument, kIsAUrl, url, downloadOf(url));
        }
        glob_t found = {};
        // GLOB_MARK adds a slash to folders, so that they can be left out without asking for each.
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
    // By name over all patterns, so that the order of rows does not depend on that of the patterns.
    std::sort(paths.begin(), paths.end());
    return paths;
}

} // namespace cannery::storage
