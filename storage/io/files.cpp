// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"

#include "core/base/interruption.h"
#include "core/base/memory_guard.h"
#include "storage/io/atomic_write.h"
#include "storage/io/confinement.h"
#include "storage/io/crc32c.h"
#include "storage/io/file_error.h"
#include "storage/io/open_file.h"
#include "storage/io/readable_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace cannery::storage {

namespace {

constexpr std::size_t kReadChunk = std::size_t{256} << 10U;
constexpr std::size_t kCopyChunk = std::size_t{64} << 10U;

/// Closed even if memory runs out meanwhile.
struct OpenDescriptor
{
    int number;
    ~OpenDescriptor() { ::close(number); }
};
struct OpenFolder
{
    DIR* folder;
    ~OpenFolder() { ::closedir(folder); }
};

tl::unexpected<Error> failWith(std::string_view action, const std::string& path)
{
    return tl::make_unexpected(fileError(action, path, errno));
}

Result<std::string> readDescriptor(int descriptor, const std::string& path, std::size_t maxBytes)
{
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0) {
        return failWith("read", path);
    }
    const auto stated = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
    if (stated > maxBytes) {
        return fail(ErrorCode::ResourceExhausted, kFileTooLarge, path, stated, maxBytes);
    }
    std::string content;
    std::size_t filled = 0;
    for (;;) {
        CANNERY_TRY(goOnUnlessInterrupted());
        // One byte more than the stated size, so that the end is detected without a second buffer.
        content.resize(std::max(filled + (stated > filled ? stated - filled + 1 : kReadChunk),
                                content.size()));
        const ssize_t got = ::read(descriptor, content.data() + filled, content.size() - filled);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return failWith("read", path);
        }
        filled += static_cast<std::size_t>(got);
        if (filled > maxBytes) {
            return fail(ErrorCode::ResourceExhausted, kFileTooLarge, path, filled, maxBytes);
        }
        if (got == 0) {
            content.resize(filled);
            return content;
        }
    }
}

} // namespace

Result<std::string> readWholeFile(const std::string& path, std::size_t maxBytes)
{
    CANNERY_TRY_ASSIGN(const int descriptor, openToRead(path));
    const OpenDescriptor closer{descriptor};
    return guardMemory(path, [&] { return readDescriptor(descriptor, path, maxBytes); });
}

namespace {

/// Calls see() with every entry of a folder but "." and "..".
template <typename See>
Result<void> walkFolder(const std::string& path, const See& see)
{
    const int descriptor = openConfined(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        return failWith("list the folder", path);
    }
    DIR* folder = ::fdopendir(descriptor);
    if (folder == nullptr) {
        const int reason = errno;
        ::close(descriptor);
        return tl::make_unexpected(fileError("list the folder", path, reason));
    }
    const OpenFolder closer{folder};
    // readdir() reports errors only by errno, which it leaves alone at the end of the folder.
    errno = 0;
    while (const dirent* entry = ::readdir(folder)) {
        const std::string_view entryName = entry->d_name;
        if (entryName != "." && entryName != "..") {
            see(*entry);
        }
        errno = 0;
    }
    const int reason = errno;
    if (reason != 0) {
        return tl::make_unexpected(fileError("list the folder", path, reason));
    }
    return {};
}

} // namespace

Result<std::vector<std::string>> listFolder(const std::string& path)
{
    std::vector<std::string> names;
    CANNERY_TRY(walkFolder(path, [&](const dirent& entry) { names.emplace_back(entry.d_name); }));
    // The order of readdir() differs from one file system to the next.
    std::sort(names.begin(), names.end());
    return names;
}

Result<std::vector<FolderEntry>> listEntries(const std::string& path)
{
    std::vector<FolderEntry> entries;
    CANNERY_TRY(walkFolder(path, [&](const dirent& entry) {
        FolderEntry& made = entries.emplace_back(FolderEntry{.name = entry.d_name});
        made.isLink = entry.d_type == DT_LNK;
        // Some file systems do not say.
        const bool isUnsaid = entry.d_type == DT_UNKNOWN || made.isLink;
        made.isFolder = isUnsaid ? isFolder(joinPath(path, made.name)) : entry.d_type == DT_DIR;
    }));
    std::ranges::sort(entries, {}, &FolderEntry::name);
    return entries;
}

bool exists(const std::string& path)
{
    struct stat status = {};
    // A link that is not followed still exists; opening it gives the error.
    return statConfined(path, status) == 0 || (errno == ELOOP && lstatConfined(path, status) == 0);
}

bool isFolder(const std::string& path)
{
    struct stat status = {};
    return statConfined(path, status) == 0 && S_ISDIR(status.st_mode);
}

bool isWritable(const std::string& path)
{
    const Place place(path);
    return place.isFound() && ::faccessat(place.folder(), place.name(), W_OK, AT_EACCESS) == 0;
}

Result<std::uint64_t> fileSize(const std::string& path)
{
    struct stat status = {};
    if (statConfined(path, status) != 0) {
        return failWith("open", path);
    }
    return static_cast<std::uint64_t>(status.st_size);
}

Result<void> makeFolders(const std::string& path, FileSystem& system)
{
    if (path.empty() || isFolder(path)) {
        return {};
    }
    const std::string parent = parentFolder(path);
    if (parent != path) {
        CANNERY_TRY(makeFolders(parent, system));
    }
    const Result<void> made = system.makeFolder(path);
    // Another process may have created it meanwhile.
    if (!made && !isFolder(path)) {
        struct stat status = {};
        if (statConfined(path, status) != 0 && errno == ELOOP) {
            return failWith("make the folder", path);
        }
        return made;
    }
    // What is written below it later is only safe once its own name is.
    return system.syncFolder(parent);
}

Result<void> removeTree(const std::string& path, FileSystem& system)
{
    struct stat status = {};
    if (lstatConfined(path, status) != 0) {
        if (errno == ENOENT) {
            return {};
        }
        return failWith("delete", path);
    }
    if (!S_ISDIR(status.st_mode)) {
        return system.removeFile(path);
    }
    CANNERY_TRY_ASSIGN(const std::vector<std::string> names, listFolder(path));
    // A link in the tree is deleted itself; what it leads to stays.
    for (const std::string& child : names) {
        CANNERY_TRY(removeTree(joinPath(path, child), system));
    }
    return system.removeFolder(path);
}

Result<CopiedBytes> copyFile(const std::string& from, const std::string& to, FileSystem& system)
{
    CANNERY_TRY_ASSIGN(ReadableFile source, ReadableFile::open(from));
    CANNERY_TRY_ASSIGN(AtomicFile target, AtomicFile::create(to, system));
    std::array<std::byte, kCopyChunk> chunk;
    CopiedBytes copied;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::size_t size, source.readNext(chunk));
        const auto bytes = std::span<const std::byte>(chunk).first(size);
        CANNERY_TRY(target.append(bytes));
        copied.crc = crc32c(bytes, copied.crc);
        copied.size += size;
        if (size < chunk.size()) {
            break;
        }
    }
    CANNERY_TRY(target.commit());
    return copied;
}

std::string joinPath(std::string_view folder, std::string_view name)
{
    if (folder.empty() || (!name.empty() && name.front() == '/')) {
        return std::string(name);
    }
    std::string path(folder);
    if (path.back() != '/') {
        path += '/';
    }
    return path.append(name);
}

std::string parentFolder(std::string_view path)
{
    while (path.size() > 1 && path.back() == '/') {
        path.remove_suffix(1);
    }
    const std::size_t slash = path.find_last_of('/');
    if (slash == std::string_view::npos) {
        return ".";
    }
    return std::string(path.substr(0, std::max<std::size_t>(slash, 1)));
}

std::string baseName(std::string_view path)
{
    return std::string(path.substr(path.find_last_of('/') + 1));
}

} // namespace cannery::storage
