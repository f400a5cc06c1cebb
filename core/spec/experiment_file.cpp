// SPDX-License-Identifier: Apache-2.0
#include "core/spec/experiment_file.h"

#include "core/base/memory_guard.h"
#include "core/spec/text/text_lexer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace cannery::spec {

namespace {

namespace fs = std::filesystem;

constexpr ErrorKind kMissing{"spec.file_missing",
                             "There is no experiment file '{0}': check the path, or make one with "
                             "'cannery new'."};
constexpr ErrorKind kUnreadable{"spec.file_unreadable",
                                "The experiment file '{0}' cannot be read: {1}."};
constexpr ErrorKind kTooLarge{
    "spec.file_too_large",
    "'{0}' has {1} bytes, which is too large for an experiment file (at most {2})."};

/// Closed even if memory runs out while reading.
struct OpenFile
{
    int descriptor;
    ~OpenFile() { ::close(descriptor); }
};

std::string reason(int code)
{
    return std::generic_category().message(code);
}

/// Reads a file, or standard input, whose size is unknown; 0 or an errno.
/// In chunks, as a pipe has no size.
int readAtMost(const fs::path& file, std::size_t limit, std::string& text)
{
    constexpr std::size_t kChunk = 65536;
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return errno;
    }
    const OpenFile closer{descriptor};
    while (text.size() < limit) {
        const std::size_t filled = text.size();
        text.resize(std::min(limit, filled + kChunk));
        const ssize_t got = ::read(descriptor, text.data() + filled, text.size() - filled);
        const int code = got < 0 ? errno : 0;
        text.resize(filled + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got == 0 || (code != 0 && code != EINTR)) {
            return code;
        }
    }
    return 0;
}

Result<ParsedExperiment> readAndParse(const fs::path& file)
{
    // What can be said of a path is said by its kind; errno alone would read "Is a directory".
    std::error_code code;
    const fs::file_status status = fs::status(file, code);
    if (status.type() == fs::file_type::not_found) {
        return fail(ErrorCode::NotFound, kMissing, file.string());
    }
    if (fs::is_directory(status)) {
        return fail(ErrorCode::InvalidArgument, kUnreadable, file.string(), "it is a folder");
    }
    // Before reading, so that a huge file costs nothing.
    if (fs::is_regular_file(status) && fs::file_size(file, code) > kLargestText) {
        return fail(ErrorCode::InvalidArgument, kTooLarge, file.string(), fs::file_size(file, code),
                    kLargestText);
    }
    // Standard input may be a pipe; other special files may never end.
    if (fs::exists(status) && !fs::is_regular_file(status) && file != "/dev/stdin") {
        return fail(ErrorCode::InvalidArgument, kUnreadable, file.string(), "it is not a file");
    }
    std::string text;
    // One byte more than allowed shows that there is more.
    if (const int failure = readAtMost(file, kLargestText + 1, text); failure != 0) {
        return fail(ErrorCode::PermissionDenied, kUnreadable, file.string(), reason(failure));
    }
    if (text.size() > kLargestText) {
        return fail(ErrorCode::InvalidArgument, kTooLarge, file.string(), text.size(),
                    kLargestText);
    }
    return parseExperiment(std::move(text));
}

} // namespace

Result<ParsedExperiment> loadExperiment(const fs::path& file)
{
    return guardMemory(file.native(), [&] { return readAndParse(file); });
}

fs::path resolvePath(const fs::path& experimentFolder, std::string_view path)
{
    const fs::path given(path);
    return given.is_absolute() ? given : (experimentFolder / given).lexically_normal();
}

} // namespace cannery::spec
