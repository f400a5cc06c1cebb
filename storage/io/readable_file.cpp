// SPDX-License-Identifier: Apache-2.0
#include "storage/io/readable_file.h"

#include "core/base/interruption.h"
#include "storage/io/file_error.h"
#include "storage/io/open_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace cannery::storage {

ReadableFile::ReadableFile(int descriptor, std::string path)
    : m_descriptor(descriptor), m_path(std::move(path))
{}

ReadableFile::ReadableFile(ReadableFile&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_path(std::move(other.m_path))
{}

ReadableFile& ReadableFile::operator=(ReadableFile&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    std::swap(m_path, other.m_path);
    return *this;
}

ReadableFile::~ReadableFile()
{
    if (m_descriptor >= 0) {
        ::close(m_descriptor);
    }
}

Result<ReadableFile> ReadableFile::open(const std::string& path)
{
    // The name first: nothing may fail between opening and owning.
    ReadableFile file(-1, path);
    CANNERY_TRY_ASSIGN(file.m_descriptor, openToRead(path));
    return file;
}

Result<std::uint64_t> ReadableFile::size() const
{
    struct stat status = {};
    if (::fstat(m_descriptor, &status) != 0) {
        return tl::make_unexpected(fileError("read", m_path, errno));
    }
    return static_cast<std::uint64_t>(status.st_size);
}

Result<std::size_t> ReadableFile::readAt(std::uint64_t offset, std::span<std::byte> bytes) const
{
    std::size_t filled = 0;
    // pread() may return less than asked for, and does so for large pieces.
    while (filled < bytes.size()) {
        const ssize_t got = ::pread(m_descriptor, bytes.data() + filled, bytes.size() - filled,
                                    static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return tl::make_unexpected(fileError("read", m_path, errno));
        }
        if (got == 0) {
            break;
        }
        filled += static_cast<std::size_t>(got);
    }
    return filled;
}

Result<std::size_t> ReadableFile::readNext(std::span<std::byte> bytes)
{
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        CANNERY_TRY(goOnUnlessInterrupted());
        const ssize_t got = ::read(m_descriptor, bytes.data() + filled, bytes.size() - filled);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return tl::make_unexpected(fileError("read", m_path, errno));
        }
        if (got == 0) {
            break;
        }
        filled += static_cast<std::size_t>(got);
    }
    return filled;
}

} // namespace cannery::storage
