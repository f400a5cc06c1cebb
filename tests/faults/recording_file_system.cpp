// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/recording_file_system.h"

#include "core/base/check.h"
#include "storage/io/files.h"

#include <filesystem>

namespace cannery::tests {

using Kind = DiskOperation::Kind;
using storage::realFileSystem;
using storage::WritableFile;

namespace {

namespace fs = std::filesystem;

class RecordedFile final : public WritableFile
{
public:
    RecordedFile(RecordingFileSystem& system, std::unique_ptr<WritableFile> file, int node)
        : m_system(&system), m_file(std::move(file)), m_node(node)
    {}
    Result<void> append(std::span<const std::byte> bytes) override
    {
        CANNERY_TRY(m_file->append(bytes));
        m_system->note({.kind = Kind::Write,
                        .node = m_node,
                        .bytes = {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
        return {};
    }
    Result<void> flush() override { return m_file->flush(); }
    Result<void> sync() override
    {
        CANNERY_TRY(m_file->sync());
        m_system->note({.kind = Kind::SyncFile, .node = m_node});
        return {};
    }
    Result<void> close() override { return m_file->close(); }
    std::uint64_t size() const override { return m_file->size(); }

private:
    RecordingFileSystem* m_system;
    std::unique_ptr<WritableFile> m_file;
    int m_node;
};

int readTree(const fs::path& path, std::vector<DiskNode>& nodes)
{
    const int id = static_cast<int>(nodes.size());
    nodes.push_back({.isFolder = fs::is_directory(path)});
    if (!nodes.back().isFolder) {
        nodes.back().content = storage::readWholeFile(path.string()).value_or("");
        return id;
    }
    for (const auto& entry : fs::directory_iterator(path)) {
        const int child = readTree(entry.path(), nodes);
        nodes[static_cast<std::size_t>(id)].entries[entry.path().filename().string()] = child;
    }
    return id;
}

} // namespace

RecordingFileSystem::RecordingFileSystem(std::string root) : m_root(std::move(root))
{
    readTree(m_root, m_before);
    m_now = m_before;
}

void RecordingFileSystem::note(DiskOperation operation)
{
    const std::lock_guard lock(m_mutex);
    m_operations.push_back(std::move(operation));
}

int RecordingFileSystem::count() const
{
    const std::lock_guard lock(m_mutex);
    return static_cast<int>(m_operations.size());
}

RecordingFileSystem::Place RecordingFileSystem::placeOf(const std::string& path) const
{
    const fs::path below = fs::path(path).lexically_relative(m_root);
    if (below.empty() || *below.begin() == "..") {
        return {};
    }
    Place place{.folder = 0};
    for (const fs::path& part : below.parent_path()) {
        const auto& entries = m_now[static_cast<std::size_t>(place.folder)].entries;
        const auto found = entries.find(part.string());
        if (found == entries.end()) {
            return {};
        }
        place.folder = found->second;
    }
    place.name = below.filename().string();
    return place;
}

int RecordingFileSystem::nodeAt(const std::string& path) const
{
    if (fs::path(path).lexically_relative(m_root) == ".") {
        return 0;
    }
    const Place place = placeOf(path);
    if (place.folder < 0) {
        return -1;
    }
    const auto& entries = m_now[static_cast<std::size_t>(place.folder)].entries;
    const auto found = entries.find(place.name);
    return found == entries.end() ? -1 : found->second;
}

int RecordingFileSystem::link(const std::string& path, bool isFolder)
{
    const Place place = placeOf(path);
    CANNERY_CHECK(place.folder >= 0);
    const int node = static_cast<int>(m_now.size());
    m_now.push_back({.isFolder = isFolder});
    m_before.push_back({.isFolder = isFolder}); // keeps the numbering consistent; nothing names it
    m_now[static_cast<std::size_t>(place.folder)].entries[place.name] = node;
    m_operations.push_back(
        {.kind = Kind::Link, .node = node, .folder = place.folder, .name = place.name});
    return node;
}

Result<std::unique_ptr<WritableFile>> RecordingFileSystem::open(const std::string& path,
                                                                bool appends)
{
    CANNERY_TRY_ASSIGN(std::unique_ptr<WritableFile> file,
                       appends ? realFileSystem().openForAppend(path)
                               : realFileSystem().create(path));
    const std::lock_guard lock(m_mutex);
    int node = nodeAt(path);
    if (node < 0) {
        node = link(path, false);
    } else if (!appends) {
        m_operations.push_back({.kind = Kind::Empty, .node = node});
    }
    return std::make_unique<RecordedFile>(*this, std::move(file), node);
}

Result<std::unique_ptr<WritableFile>> RecordingFileSystem::create(const std::string& path)
{
    return open(path, false);
}

Result<std::unique_ptr<WritableFile>> RecordingFileSystem::openForAppend(const std::string& path)
{
    return open(path, true);
}

Result<void> RecordingFileSystem::rename(const std::string& from, const std::string& to)
{
    CANNERY_TRY(realFileSystem().rename(from, to));
    const std::lock_guard lock(m_mutex);
    const Place source = placeOf(from);
    const Place target = placeOf(to);
    CANNERY_CHECK(source.folder >= 0 && target.folder >= 0);
    const int node = nodeAt(from);
    m_now[static_cast<std::size_t>(source.folder)].entries.erase(source.name);
    m_now[static_cast<std::size_t>(target.folder)].entries[target.name] = node;
    m_operations.push_back({.kind = Kind::Rename,
                            .node = node,
                            .folder = source.folder,
                            .name = source.name,
                            .toFolder = target.folder,
                            .toName = target.name});
    return {};
}

void RecordingFileSystem::unlink(const std::string& path)
{
    const std::lock_guard lock(m_mutex);
    const Place place = placeOf(path);
    CANNERY_CHECK(place.folder >= 0);
    m_now[static_cast<std::size_t>(place.folder)].entries.erase(place.name);
    m_operations.push_back({.kind = Kind::Unlink, .folder = place.folder, .name = place.name});
}

Result<void> RecordingFileSystem::removeFile(const std::string& path)
{
    CANNERY_TRY(realFileSystem().removeFile(path));
    unlink(path);
    return {};
}

Result<void> RecordingFileSystem::removeFolder(const std::string& path)
{
    CANNERY_TRY(realFileSystem().removeFolder(path));
    unlink(path);
    return {};
}

Result<void> RecordingFileSystem::makeFolder(const std::string& path)
{
    CANNERY_TRY(realFileSystem().makeFolder(path));
    const std::lock_guard lock(m_mutex);
    link(path, true);
    return {};
}

Result<void> RecordingFileSystem::syncFolder(const std::string& path)
{
    CANNERY_TRY(realFileSystem().syncFolder(path));
    const std::lock_guard lock(m_mutex);
    if (const int node = nodeAt(path); node >= 0) {
        m_operations.push_back({.kind = Kind::SyncFolder, .folder = node});
    }
    return {};
}

} // namespace cannery::tests
