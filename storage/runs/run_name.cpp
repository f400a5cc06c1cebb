// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_name.h"

#include "core/base/folder_name.h"
#include "core/base/utf8.h"
#include "storage/io/beneath.h"

namespace cannery::storage {
namespace {

constexpr ErrorKind kBadName{
    "runs.bad_name", "'{}' cannot be the name of a run: it must be a folder name of at most {} "
                     "bytes of UTF-8, without slashes or control characters. Rename the folder."};

} // namespace

bool isRunName(std::string_view name)
{
    return isFolderName(name);
}

bool isExportPath(std::string_view path)
{
    return path.find('\0') == std::string_view::npos &&
           (path.starts_with('/') || isNameBeneath(path));
}

Result<void> checkRunName(std::string_view name)
{
    if (!isRunName(name)) {
        return fail(ErrorCode::InvalidArgument, kBadName, toUtf8(name), kMostFolderNameBytes);
    }
    return {};
}

} // namespace cannery::storage
