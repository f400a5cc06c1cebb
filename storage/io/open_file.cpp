// SPDX-License-Identifier: Apache-2.0
#include "storage/io/open_file.h"

#include "storage/io/confinement.h"
#include "storage/io/file_error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace cannery::storage {

namespace {

constexpr ErrorKind kNotAFile{"io.not_a_file",
                              "Cannot open {}: it is {}, not a file. Name a file; the output of "
                              "another program can be read from standard input, as /dev/stdin."};
constexpr std::array<std::string_view, 3> kStandardInput{"/dev/stdin", "/dev/fd/0",
                                                         "/proc/self/fd/0"};

std::string_view kindOf(mode_t mode)
{
    return S_ISFIFO(mode)   ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISDIR(mode)  ? "a folder"
                            : "a device";
}

} // namespace

Result<void> checkIsFile(int descriptor, const std::string& path)
{
    struct stat facts = {};
    if (::fstat(descriptor, &facts) != 0) {
        return tl::make_unexpected(fileError("open", path, errno));
    }
    if (S_ISDIR(facts.st_mode)) {
        return tl::make_unexpected(fileError("read", path, EISDIR));
    }
    if (!S_ISREG(facts.st_mode)) {
        return fail(ErrorCode::FailedPrecondition, kNotAFile, path, kindOf(facts.st_mode));
    }
    return {};
}

Result<int> openToRead(const std::string& path)
{
    const bool isStandardInput =
        std::find(kStandardInput.begin(), kStandardInput.end(), path) != kStandardInput.end();
    // Opening a pipe without a writer would block.
    const int how = isStandardInput ? O_RDONLY | O_CLOEXEC : O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    const int descriptor = openConfined(path, how);
    // What open() answers for a socket.
    if (descriptor < 0 && errno == ENXIO) {
        return fail(ErrorCode::FailedPrecondition, kNotAFile, path, "a socket");
    }
    if (descriptor < 0) {
        return tl::make_unexpected(fileError("open", path, errno));
    }
    if (!isStandardInput) {
        if (Result<void> checked = checkIsFile(descriptor, path); !checked) {
            ::close(descriptor);
            return tl::make_unexpected(std::move(checked).error());
        }
    }
    return descriptor;
}

} // namespace cannery::storage
