// SPDX-License-Identifier: Apache-2.0
#include "tests/storage/io/faulty_file_system.h"

#include "storage/io/files.h"

namespace cannery::tests {

using storage::realFileSystem;
using storage::WritableFile;

namespace {

class FaultyFile final : public WritableFile
{
public:
    FaultyFile(FaultyFileSystem& system, std::unique_ptr<WritableFile> file, std::string path)
        : m_system(&system), m_file(std::move(file)), m_path(std::move(path))
    {}
    Result<void> append(std::span<const std::byte> bytes) override
    {
        CANNERY_TRY(m_system->note("append", m_path));
        return m_file->append(bytes);
    }
    Result<void> flush() override
    {
        CANNERY_TRY(m_system->note("flush", m_path));
        return m_file->flush();
    }
    Result<void> sync() override
    {
        CANNERY_TRY(m_system->note("sync", m_path));
        return m_file->sync();
    }
    Result<void> close() override
    {
        CANNERY_TRY(m_system->note("close", m_path));
        return m_file->close();
    }
    std::uint64_t size() const override { return m_file->size(); }

private:
    FaultyFileSystem* m_system;
    std::unique_ptr<WritableFile> m_file;
    std::string m_path;
};

} // namespace

Result<void> FaultyFileSystem::note(const std::string& what, const std::string& path)
{
    const std::lock_guard lock(m_mutex);
    m_calls.push_back(what + " " + storage::baseName(path));
    if (m_failFrom > 0 && static_cast<int>(m_calls.size()) >= m_failFrom) {
        return tl::make_unexpected(storage::fileError(what, path, m_systemError));
    }
    return {};
}

Result<std::unique_ptr<WritableFile>> FaultyFileSystem::create(const std::string& path)
{
    CANNERY_TRY(note("create", path));
    CANNERY_TRY_ASSIGN(std::unique_ptr<WritableFile> file, realFileSystem().create(path));
    return std::make_unique<FaultyFile>(*this, std::move(file), path);
}

Result<std::unique_ptr<WritableFile>> FaultyFileSystem::openForAppend(const std::string& path)
{
    CANNERY_TRY(note("open", path));
    CANNERY_TRY_ASSIGN(std::unique_ptr<WritableFile> file, realFileSystem().openForAppend(path));
    return std::make_unique<FaultyFile>(*this, std::move(file), path);
}

Result<void> FaultyFileSystem::rename(const std::string& from, const std::string& to)
{
    CANNERY_TRY(note("rename", to));
    return realFileSystem().rename(from, to);
}

Result<void> FaultyFileSystem::removeFile(const std::string& path)
{
    return realFileSystem().removeFile(path);
}

Result<void> FaultyFileSystem::removeFolder(const std::string& path)
{
    return realFileSystem().removeFolder(path);
}

Result<void> FaultyFileSystem::makeFolder(const std::string& path)
{
    CANNERY_TRY(note("makeFolder", path));
    return realFileSystem().makeFolder(path);
}

Result<void> FaultyFileSystem::syncFolder(const std::string& path)
{
    CANNERY_TRY(note("syncFolder", path));
    return realFileSystem().syncFolder(path);
}

} // namespace cannery::tests
