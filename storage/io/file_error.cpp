// SPDX-License-Identifier: Apache-2.0
#include "storage/io/file_error.h"

#include <array>
#include <cerrno>
#include <system_error>

namespace cannery::storage {

namespace {

struct Reason
{
    int systemError;
    ErrorCode code;
    std::string_view cure;
};

constexpr std::array kReasons{
    Reason{ENOENT, ErrorCode::NotFound, " Check the path."},
    Reason{ENOTDIR, ErrorCode::NotFound, " Check the path: a part of it is a file."},
    Reason{EISDIR, ErrorCode::FailedPrecondition, " Name a file, not a folder."},
    Reason{EEXIST, ErrorCode::AlreadyExists, ""},
    Reason{ENOTEMPTY, ErrorCode::AlreadyExists, ""},
    Reason{EACCES, ErrorCode::PermissionDenied, " Change its permissions or choose another place."},
    Reason{EPERM, ErrorCode::PermissionDenied, " Change its permissions or choose another place."},
    Reason{ELOOP, ErrorCode::PermissionDenied,
           " The path contains a link, and links below a project are not followed: put the file or "
           "folder itself in its place."},
    Reason{EROFS, ErrorCode::PermissionDenied, " Choose a place that can be written."},
    Reason{ENOSPC, ErrorCode::ResourceExhausted, " Free some space or choose another place."},
    Reason{EDQUOT, ErrorCode::ResourceExhausted, " Free some space or ask for a larger quota."},
    Reason{EFBIG, ErrorCode::ResourceExhausted, " Choose a place that allows larger files."},
    Reason{EMFILE, ErrorCode::ResourceExhausted, " Raise the limit with `ulimit -n`."},
    Reason{ENFILE, ErrorCode::ResourceExhausted, ""},
    Reason{ENOMEM, ErrorCode::ResourceExhausted, ""},
    Reason{EIO, ErrorCode::DataLoss, " The disk may be failing."},
};

} // namespace

Error fileError(std::string_view action, std::string_view path, int systemError)
{
    Reason found{systemError, ErrorCode::Unknown, ""};
    for (const Reason& reason : kReasons) {
        if (reason.systemError == systemError) {
            found = reason;
        }
    }
    return error(found.code, kFileError, action, path, std::generic_category().message(systemError),
                 found.cure);
}

} // namespace cannery::storage
