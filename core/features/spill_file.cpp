// SPDX-License-Identifier: Apache-2.0
#include "core/features/spill_file.h"

#include "storage/io/file_error.h"
#include "storage/io/files.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <random>
#include <unistd.h>
#include <utility>

namespace cannery::features {

namespace {

constexpr ErrorKind kSpill{"features.spill",
                           "The rows do not fit into the memory allowed for them, and no temporary "
                           "file can be written in {}. "
                           "Free some space there, or set TMPDIR to a folder with enough space."};

Error spillError(const std::string& path, const Error& reason)
{
    return error(ErrorCode::ResourceExhausted, kSpill, storage::parentFolder(path))
        .with(reason.message());
}

std::string temporaryFolder()
{
    const char* folder = std::getenv("TMPDIR");
    return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

/// A name that no other process picks.
std::string uniquePath(const std::string& folder)
{
    std::random_device random;
    const std::string name =
        fmt::format(".cannery-rows-{}-{:08x}{:08x}", ::getpid(), random(), random());
    return storage::joinPath(folder.empty() ? temporaryFolder() : folder, name);
}

} // namespace

Result<SpillFile> SpillFile::create(const std::string& folder, storage::FileSystem& system)
{
    const std::string path = uniquePath(folder);
    auto file = system.create(path);
    if (!file) {
        return tl::make_unexpected(spillError(path, std::move(file).error()));
    }
    // Opened for reading before the name is removed: afterwards the file belongs to this process
    // alone, and disappears with it, however it ends.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const int openError = errno;
    const auto removed = system.removeFile(path);
    if (descriptor < 0) {
        return tl::make_unexpected(spillError(path, storage::fileError("open", path, openError)));
    }
    SpillFile result(std::move(*file), descriptor, path);
    CANNERY_TRY(removed);
    return result;
}

SpillFile::SpillFile(SpillFile&& other) noexcept
    : m_file(std::move(other.m_file)), m_descriptor(std::exchange(other.m_descriptor, -1)),
      m_path(std::move(other.m_path)), m_mappings(std::move(other.m_mappings))
{}

SpillFile::~SpillFile()
{
    if (m_descriptor >= 0) {
        ::close(m_descriptor);
    }
}

Result<std::uint64_t> SpillFile::append(std::span<const std::span<const std::byte>> parts)
{
    const auto pageSize = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    // Each segment begins on a page, so that it can be mapped.
    const std::uint64_t offset = (m_file->size() + pageSize - 1) / pageSize * pageSize;
    const std::vector<std::byte> padding(offset - m_file->size());
    Result<void> written = m_file->append(padding);
    for (const auto part : parts) {
        if (written) {
            written = m_file->append(part);
        }
    }
    if (written) {
        written = m_file->flush();
    }
    if (!written) {
        return tl::make_unexpected(spillError(m_path, std::move(written).error()));
    }
    return offset;
}

Result<void> SpillFile::read(std::uint64_t offset, std::span<std::byte> bytes) const
{
    while (!bytes.empty()) {
        const ssize_t count =
            ::pread(m_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            // The end of the file within a record means that somebody has cut it.
            return tl::make_unexpected(storage::fileError("read", m_path, count < 0 ? errno : EIO));
        }
        bytes = bytes.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
    return {};
}

const std::byte* SpillFile::map(std::uint64_t offset, std::size_t size)
{
    using storage::GuardedMapping;
    std::optional<GuardedMapping> mapping =
        GuardedMapping::map(m_descriptor, offset, size, GuardedMapping::Access::Read);
    // Without a mapping the rows are read one by one.
    if (!mapping) {
        return nullptr;
    }
    return m_mappings.emplace_back(std::move(*mapping)).begin();
}

Result<void> SpillFile::checkMappings() const
{
    // A damaged page of a mapping would have raised SIGBUS; the guard puts zeros in its place, and
    // this is where it is noticed.
    if (storage::GuardedMapping::isAnyDamaged()) {
        for (const storage::GuardedMapping& mapping : m_mappings) {
            if (mapping.isDamaged()) {
                return tl::make_unexpected(storage::fileError("read", m_path, EIO));
            }
        }
    }
    return {};
}

} // namespace cannery::features
