#include "storage/io/mapped_file.h"

#include "storage/io/file_error.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace cannery::storage {

MappedFile::MappedFile(MappedFile&& other) noexcept : m_bytes(std::exchange(other.m_bytes, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

MappedFile::~MappedFile()
{
    if (!m_bytes.empty()) {
        ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
    }
}

Result<MappedFile> MappedFile::open(const std::string& path)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status = {};
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
        const int reason = errno;
        if (descriptor >= 0) {
            ::close(descriptor);
        }
        return tl::make_unexpected(fileError("open", path, reason));
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    void* address = nullptr;
    if (size > 0) {
        address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    const int reason = errno;
    ::close(descriptor);
    if (address == MAP_FAILED) {
        return tl::make_unexpected(fileError("read", path, reason));
    }
    return MappedFile({static_cast<const std::byte*>(address), size});
}

} // namespace cannery::storage
