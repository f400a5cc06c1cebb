// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/page_checksums.h"

#include "storage/io/crc32c.h"

#include <sqlite3.h>

#include <array>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

namespace cannery::storage {
namespace {

constexpr int kSmallestPage = 512;
constexpr int kLargestPage = 65536;
constexpr int kPageBytesAt = 16;     ///< in the header of a database, big-endian; 1: 65536
constexpr int kReservedBytesAt = 20; ///< in the header of a database
constexpr int kBelieveDamaged = 0x43414e01;
constexpr std::string_view kMark("CRC\1", 4);

/// A main file, wrapping the system's own file object.
struct CheckedFile
{
    sqlite3_file base;
    bool hasChecksums; ///< once true it stays true: the space is never given back
    int pageBytes;     ///< of a file with checksums
    bool believesDamaged;

    sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
    const sqlite3_io_methods& system() { return *inner()->pMethods; }
};

CheckedFile& checked(sqlite3_file* file)
{
    return *reinterpret_cast<CheckedFile*>(file);
}

sqlite3_vfs* systemOf(sqlite3_vfs* vfs)
{
    return static_cast<sqlite3_vfs*>(vfs->pAppData);
}

bool isPage(int size, sqlite3_int64 offset)
{
    return size >= kSmallestPage && size <= kLargestPage && (size & (size - 1)) == 0 &&
           offset % size == 0;
}

/// `header`: the beginning of a database.
int pageBytesOf(const unsigned char* header)
{
    const int bytes = header[kPageBytesAt] << 8 | header[kPageBytesAt + 1];
    return bytes == 1 ? kLargestPage : bytes;
}

/// The beginning of a database, up to its reserved bytes.
using Header = std::array<unsigned char, kReservedBytesAt + 1>;

/// `first`: the first page, if already read.
bool hasChecksums(CheckedFile& file, const unsigned char* first)
{
    if (!file.hasChecksums) {
        Header header{};
        if (first != nullptr) {
            std::memcpy(header.data(), first, header.size());
        } else if (file.system().xRead(file.inner(), header.data(), header.size(), 0) !=
                   SQLITE_OK) {
            return false;
        }
        file.hasChecksums = header[kReservedBytesAt] == kPageChecksumBytes;
        file.pageBytes = pageBytesOf(header.data());
    }
    return file.hasChecksums;
}

/// A page stored in another's place is as wrong as one with other bytes.
std::array<char, kPageChecksumBytes> checksumOf(std::string_view page, sqlite3_int64 offset)
{
    const std::uint32_t place = crc32c(std::as_bytes(std::span(&offset, 1)));
    const std::uint32_t crc = crc32c(page.substr(0, page.size() - kPageChecksumBytes), place);
    std::array<char, kPageChecksumBytes> bytes;
    std::memcpy(bytes.data(), kMark.data(), kMark.size());
    std::memcpy(bytes.data() + kMark.size(), &crc, sizeof crc);
    return bytes;
}

/// A page that was allocated and freed before anything was written to it is all zeros, which is
/// valid. Zeros after any content are damage.
bool isUnwritten(std::string_view page)
{
    return page.find_first_not_of('\0') == std::string_view::npos;
}

/// Whether a file ends within a page; before its page size is known, SQLite reads with another one.
bool isHalfPage(CheckedFile& file, int size, sqlite3_int64 offset)
{
    sqlite3_int64 end = 0;
    Header header{};
    return file.system().xFileSize(file.inner(), &end) == SQLITE_OK && offset < end &&
           file.system().xRead(file.inner(), header.data(), header.size(), 0) == SQLITE_OK &&
           pageBytesOf(header.data()) == size;
}

int readAt(sqlite3_file* base, void* bytes, int size, sqlite3_int64 offset);

/// Of one page, all of which is checked: SQLite reads long values so since its release 3.45.
int readPart(sqlite3_file* base, void* bytes, int size, sqlite3_int64 offset)
{
    CheckedFile& file = checked(base);
    const sqlite3_int64 inside = offset % file.pageBytes;
    if (inside + size > file.pageBytes) {
        return file.system().xRead(file.inner(), bytes, size, offset);
    }
    std::array<char, kLargestPage> page;
    const int result = readAt(base, page.data(), file.pageBytes, offset - inside);
    if (result == SQLITE_OK) {
        std::memcpy(bytes, page.data() + inside, static_cast<std::size_t>(size));
    }
    return result;
}

int readAt(sqlite3_file* base, void* bytes, int size, sqlite3_int64 offset)
{
    CheckedFile& file = checked(base);
    if (file.hasChecksums && size != file.pageBytes && offset >= file.pageBytes) {
        return readPart(base, bytes, size, offset);
    }
    const int result = file.system().xRead(file.inner(), bytes, size, offset);
    auto* page = static_cast<unsigned char*>(bytes);
    if ((result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) || !isPage(size, offset)) {
        return result;
    }
    const bool isChecked = hasChecksums(file, offset == 0 ? page : nullptr);
    if (result == SQLITE_IOERR_SHORT_READ) {
        // Beyond the end there are zeros, but half a page is not valid.
        const bool isCut = !file.believesDamaged && isHalfPage(file, size, offset);
        return !isCut ? result : isChecked ? SQLITE_IOERR_DATA : SQLITE_CORRUPT;
    }
    if (!isChecked) {
        return result;
    }
    const std::string_view content(static_cast<char*>(bytes), static_cast<std::size_t>(size));
    const std::string_view checksum = content.substr(content.size() - kPageChecksumBytes);
    const auto expected = checksumOf(content, offset);
    const bool isSound = checksum == std::string_view(expected.data(), expected.size());
    if (!isSound && !isUnwritten(content) && !file.believesDamaged) {
        return SQLITE_IOERR_DATA;
    }
    std::memset(page + size - kPageChecksumBytes, 0, kPageChecksumBytes);
    return SQLITE_OK;
}

int writeAt(sqlite3_file* base, const void* bytes, int size, sqlite3_int64 offset)
{
    CheckedFile& file = checked(base);
    const auto* page = static_cast<const unsigned char*>(bytes);
    if (!isPage(size, offset) || !hasChecksums(file, offset == 0 ? page : nullptr)) {
        return file.system().xWrite(file.inner(), bytes, size, offset);
    }
    // SQLite may still need its own bytes unchanged.
    std::array<char, kLargestPage> copy;
    std::memcpy(copy.data(), bytes, static_cast<std::size_t>(size));
    const auto checksum = checksumOf({copy.data(), static_cast<std::size_t>(size)}, offset);
    std::memcpy(copy.data() + size - kPageChecksumBytes, checksum.data(), checksum.size());
    return file.system().xWrite(file.inner(), copy.data(), size, offset);
}

int control(sqlite3_file* base, int operation, void* argument)
{
    CheckedFile& file = checked(base);
    if (operation == kBelieveDamaged) {
        file.believesDamaged = true;
        return SQLITE_OK;
    }
    return file.system().xFileControl(file.inner(), operation, argument);
}

/// A method of the system's file, unchanged.
template <auto Method, typename... Arguments>
auto forward(sqlite3_file* base, Arguments... arguments)
{
    CheckedFile& file = checked(base);
    return (file.system().*Method)(file.inner(), arguments...);
}

using Io = sqlite3_io_methods;

/// Version 2: no memory mapping, which would bypass these checks.
constexpr Io kMethods{
    .iVersion = 2,
    .xClose = forward<&Io::xClose>,
    .xRead = readAt,
    .xWrite = writeAt,
    .xTruncate = forward<&Io::xTruncate, sqlite3_int64>,
    .xSync = forward<&Io::xSync, int>,
    .xFileSize = forward<&Io::xFileSize, sqlite3_int64*>,
    .xLock = forward<&Io::xLock, int>,
    .xUnlock = forward<&Io::xUnlock, int>,
    .xCheckReservedLock = forward<&Io::xCheckReservedLock, int*>,
    .xFileControl = control,
    .xSectorSize = forward<&Io::xSectorSize>,
    .xDeviceCharacteristics = forward<&Io::xDeviceCharacteristics>,
    .xShmMap = forward<&Io::xShmMap, int, int, int, void volatile**>,
    .xShmLock = forward<&Io::xShmLock, int, int, int>,
    .xShmBarrier = forward<&Io::xShmBarrier>,
    .xShmUnmap = forward<&Io::xShmUnmap, int>,
};

int openFile(sqlite3_vfs* vfs, const char* name, sqlite3_file* base, int flags, int* given)
{
    sqlite3_vfs* system = systemOf(vfs);
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
        return system->xOpen(system, name, base, flags, given);
    }
    CheckedFile* file = new (base) CheckedFile{};
    const int result = system->xOpen(system, name, file->inner(), flags, given);
    base->pMethods = file->inner()->pMethods == nullptr ? nullptr : &kMethods;
    return result;
}

} // namespace

const char* pageChecksumVfs()
{
    static constexpr const char* kName = "cannery-page-checksums";
    static const bool kIsRegistered = [] {
        static sqlite3_vfs vfs = *sqlite3_vfs_find(nullptr);
        vfs.pAppData = sqlite3_vfs_find(nullptr);
        vfs.pNext = nullptr;
        vfs.zName = kName;
        vfs.szOsFile += static_cast<int>(sizeof(CheckedFile));
        vfs.xOpen = openFile;
        return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
    }();
    return kIsRegistered ? kName : nullptr;
}

void believeDamagedPages(sqlite3* database)
{
    sqlite3_file_control(database, "main", kBelieveDamaged, nullptr);
}

} // namespace cannery::storage
