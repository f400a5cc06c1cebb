// SPDX-License-Identifier: Apache-2.0
#include "storage/io/atomic_write.h"

#include "storage/io/file_error.h"
#include "storage/io/files.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <system_error>
#include <utility>
#include <vector>

namespace cannery::storage {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kTemporaryMark = ".tmp-";

Result<AtomicFile> write(const std::string& path, std::string_view content, FileSystem& system,
                         std::optional<fs::perms> permissions)
{
    CANNERY_TRY_ASSIGN(AtomicFile file, AtomicFile::create(path, system));
    if (permissions) {
        file.setPermissions(*permissions);
    }
    CANNERY_TRY(file.append(content));
    return file;
}

Result<void> publish(const std::string& path, std::string_view content, FileSystem& system,
                     std::optional<fs::perms> permissions)
{
    {
        CANNERY_TRY_ASSIGN(AtomicFile first, write(path, content, system, permissions));
        if (first.prepare()) {
            return first.commit();
        }
    }
    // After a failed sync it is unknown which pages were lost: written again under another name,
    // once.
    CANNERY_TRY_ASSIGN(AtomicFile second, write(path, content, system, permissions));
    return second.commit();
}

} // namespace

std::string temporaryName(const std::string& path)
{
    static std::atomic<unsigned> counter{0};
    return path + std::string(kTemporaryMark) + std::to_string(::getpid()) + "-" +
           std::to_string(counter++);
}

std::optional<int> ownerOfTemporary(std::string_view name)
{
    const std::size_t mark = name.rfind(kTemporaryMark);
    if (mark == std::string_view::npos) {
        return std::nullopt;
    }
    const char* const end = name.data() + name.size();
    int process = 0;
    const auto [dash, error] =
        std::from_chars(name.data() + mark + kTemporaryMark.size(), end, process);
    unsigned count = 0;
    const bool isOurs = error == std::errc() && process > 0 && dash != end && *dash == '-' &&
                        std::from_chars(dash + 1, end, count).ptr == end && dash + 1 != end;
    return isOurs ? std::optional(process) : std::nullopt;
}

void removeAbandoned(const std::string& path, FileSystem& system)
{
    const std::string folder = parentFolder(path);
    const std::string begin = baseName(path) + std::string(kTemporaryMark);
    for (const std::string& name : listFolder(folder).value_or(std::vector<std::string>())) {
        const std::optional<int> owner = ownerOfTemporary(name);
        // A process that still lives may be writing it.
        if (owner && name.starts_with(begin) && ::kill(*owner, 0) != 0 && errno == ESRCH) {
            static_cast<void>(system.removeFile(joinPath(folder, name)));
        }
    }
}

AtomicFile::AtomicFile(FileSystem& system, std::string path, std::string temporary,
                       std::unique_ptr<WritableFile> file)
    : m_system(&system), m_path(std::move(path)), m_temporary(std::move(temporary)),
      m_file(std::move(file))
{}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : m_system(other.m_system), m_path(std::move(other.m_path)),
      m_temporary(std::exchange(other.m_temporary, {})), m_file(std::move(other.m_file)),
      m_isPrepared(other.m_isPrepared)
{}

AtomicFile::~AtomicFile()
{
    if (!m_temporary.empty()) {
        m_file.reset();
        static_cast<void>(m_system->removeFile(m_temporary));
    }
}

Result<AtomicFile> AtomicFile::create(const std::string& path, FileSystem& system)
{
    std::string temporary = temporaryName(path);
    CANNERY_TRY_ASSIGN(std::unique_ptr<WritableFile> file, system.create(temporary));
    return AtomicFile(system, path, std::move(temporary), std::move(file));
}

Result<void> AtomicFile::append(std::span<const std::byte> bytes)
{
    return m_file->append(bytes);
}

void AtomicFile::setPermissions(fs::perms permissions)
{
    std::error_code ignored;
    fs::permissions(m_temporary, permissions, ignored);
}

Result<void> AtomicFile::prepare()
{
    if (!m_isPrepared) {
        CANNERY_TRY(m_file->sync());
        // A network file system may report only here that it could not write.
        CANNERY_TRY(m_file->close());
        m_isPrepared = true;
    }
    return {};
}

Result<void> AtomicFile::commit()
{
    CANNERY_TRY(prepare());
    // Only now does the name lead to the new content, all of which is on the disk.
    CANNERY_TRY(m_system->rename(m_temporary, m_path));
    m_temporary.clear();
    // The name itself is only safe once its folder is.
    return m_system->syncFolder(parentFolder(m_path));
}

Result<void> writeFileAtomically(const std::string& path, std::string_view content,
                                 FileSystem& system)
{
    return publish(path, content, system, std::nullopt);
}

Result<void> replaceFile(const std::string& path, std::string_view content)
{
    std::error_code failure;
    std::error_code ignored;
    const fs::path target =
        fs::is_symlink(path, ignored) ? fs::canonical(path, failure) : fs::path(path);
    if (failure) {
        return tl::make_unexpected(fileError("write to", path, failure.value()));
    }
    const fs::file_status old = fs::status(target, ignored);
    return publish(target.string(), content, realFileSystem(),
                   fs::exists(old) ? std::optional(old.permissions()) : std::nullopt);
}

} // namespace cannery::storage
