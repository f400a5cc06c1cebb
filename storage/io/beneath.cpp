// SPDX-License-Identifier: Apache-2.0
#include "storage/io/beneath.h"

#include "storage/io/file_error.h"
#include "storage/io/files.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>

namespace cannery::storage {

namespace {

constexpr ErrorKind kOutside{
    "io.outside",
    "The name {} leads out of the folder {}, which is not allowed. Move the file into the folder."};

class Descriptor
{
public:
    explicit Descriptor(int number) : m_number(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
    ~Descriptor()
    {
        if (m_number >= 0) {
            ::close(m_number);
        }
    }
    int number() const { return m_number; }

private:
    int m_number;
};

Result<std::string> realPath(const std::string& path)
{
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                           &std::free);
    if (real == nullptr) {
        return tl::make_unexpected(fileError("open", path, errno));
    }
    return std::string(real.get());
}

/// For systems that cannot confine a path to a folder.
Result<Descriptor> openCompared(const std::string& root, const std::string& name)
{
    // Compared, then opened: without the kernel's help a folder can be exchanged in between.
    CANNERY_TRY_ASSIGN(std::string above, realPath(root));
    CANNERY_TRY_ASSIGN(const std::string path, realPath(joinPath(root, name)));
    above += above == "/" ? "" : "/";
    if (path.rfind(above, 0) != 0) {
        return fail(ErrorCode::PermissionDenied, kOutside, name, root);
    }
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.number() < 0) {
        return tl::make_unexpected(fileError("open", path, errno));
    }
    return file;
}

Result<Descriptor> openBeneath(const std::string& root, std::string_view name)
{
    const std::string path(name);
    if (!isNameBeneath(name)) {
        return fail(ErrorCode::PermissionDenied, kOutside, path, root);
    }
    const Descriptor folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (folder.number() < 0) {
        return tl::make_unexpected(fileError("open", root, errno));
    }
    open_how how = {};
    how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    // Resolved within one call, so that nothing can be exchanged between a check and the opening.
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    Descriptor file(
        static_cast<int>(::syscall(SYS_openat2, folder.number(), path.c_str(), &how, sizeof(how))));
    if (file.number() >= 0) {
        return file;
    }
    if (errno == ENOSYS || errno == EPERM) {
        return openCompared(root, path);
    }
    if (errno == EXDEV || errno == ELOOP) {
        return fail(ErrorCode::PermissionDenied, kOutside, path, root);
    }
    return tl::make_unexpected(fileError("open", joinPath(root, name), errno));
}

} // namespace

bool isNameBeneath(std::string_view name)
{
    if (name.empty() || name.front() == '/' || name.find('\0') != std::string_view::npos) {
        return false;
    }
    while (!name.empty()) {
        const std::size_t slash = std::min(name.find('/'), name.size());
        if (name.substr(0, slash) == "..") {
            return false;
        }
        name.remove_prefix(std::min(slash + 1, name.size()));
    }
    return true;
}

Result<void> checkBeneath(const std::string& root, std::string_view name)
{
    CANNERY_TRY(openBeneath(root, name));
    return {};
}

Result<std::string> readWholeFileBeneath(const std::string& root, std::string_view name,
                                         std::size_t maxBytes)
{
    CANNERY_TRY_ASSIGN(const Descriptor file, openBeneath(root, name));
    // By the descriptor: the file that was checked is the one that is read.
    return readWholeFile(fmt::format("/proc/self/fd/{}", file.number()), maxBytes);
}

} // namespace cannery::storage
