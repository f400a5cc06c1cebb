// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/reading_lock.h"

#include "storage/io/open_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace cannery::storage {

namespace {

/// Where SQLite locks a file to read it (os.h: PENDING_BYTE + 2, and SHARED_SIZE bytes).
constexpr off_t kSharedFirst = 0x40000000 + 2;
constexpr off_t kSharedBytes = 510;
constexpr int kNone = -1;

} // namespace

Result<ReadingLock> ReadingLock::take(const std::string& path)
{
    CANNERY_TRY_ASSIGN(const int descriptor, openToRead(path));
    ReadingLock lock(descriptor);
    struct flock range
    {};
    range.l_type = F_RDLCK;
    range.l_whence = SEEK_SET;
    range.l_start = kSharedFirst;
    range.l_len = kSharedBytes;
    static_cast<void>(::fcntl(descriptor, F_OFD_SETLK, &range));
    return lock;
}

ReadingLock::ReadingLock(ReadingLock&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, kNone))
{}

ReadingLock& ReadingLock::operator=(ReadingLock&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

ReadingLock::~ReadingLock()
{
    if (m_descriptor != kNone) {
        ::close(m_descriptor);
    }
}

} // namespace cannery::storage
