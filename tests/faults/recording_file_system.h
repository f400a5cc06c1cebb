// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/io/file_system.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace cannery::tests {

/// One change of a disk, in program order. Files and folders are numbered; 0 is the root.
struct DiskOperation
{
    enum class Kind
    {
        Write,    ///< `bytes` at the end of `node`
        Empty,    ///< `node` is truncated
        SyncFile, ///< `node`
        Link,     ///< `node` gets `name` in `folder`
        Rename,   ///< `name` in `folder` becomes `toName` in `toFolder`; `node` is the renamed one
        Unlink,   ///< `name` in `folder` is removed
        SyncFolder, ///< `folder`
    };
    Kind kind = Kind::Write;
    int node = 0;
    int folder = 0;
    std::string name;
    int toFolder = 0;
    std::string toName;
    std::string bytes;
};

struct DiskNode
{
    bool isFolder = false;
    std::string content;
    std::map<std::string, int> entries;
};

/// The real disk below one folder, and a record of all changes. Thread-safe.
class RecordingFileSystem final : public storage::FileSystem
{
public:
    /// The folder's current content counts as safely on disk.
    explicit RecordingFileSystem(std::string root);

    Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override;
    Result<std::unique_ptr<storage::WritableFile>> openForAppend(const std::string& path) override;
    Result<void> rename(const std::string& from, const std::string& to) override;
    Result<void> removeFile(const std::string& path) override;
    Result<void> removeFolder(const std::string& path) override;
    Result<void> makeFolder(const std::string& path) override;
    Result<void> syncFolder(const std::string& path) override;

    void note(DiskOperation operation);
    /// Number of operations so far.
    int count() const;
    /// Only while no other thread uses the disk.
    const std::vector<DiskOperation>& operations() const { return m_operations; }
    const std::vector<DiskNode>& before() const { return m_before; }

private:
    struct Place
    {
        int folder = -1; ///< -1: not below the root
        std::string name;
    };
    Place placeOf(const std::string& path) const;
    int nodeAt(const std::string& path) const;
    int link(const std::string& path, bool isFolder);
    Result<std::unique_ptr<storage::WritableFile>> open(const std::string& path, bool appends);
    void unlink(const std::string& path);

    std::string m_root;
    mutable std::mutex m_mutex;
    std::vector<DiskNode> m_before;
    std::vector<DiskNode> m_now; ///< without contents
    std::vector<DiskOperation> m_operations;
};

/// The possible content of a disk after a power failure.
struct CrashImage
{
    struct Content
    {
        std::string bytes;
        std::size_t digest; ///< of the bytes
    };
    int operation = 0; ///< number of operations requested before
    std::map<std::string, std::shared_ptr<const Content>> files; ///< by path below the root
    std::set<std::string> folders;

    /// Makes the folder contain exactly this.
    void writeTo(const std::string& folder) const;
};

/// The possible states of the disk if the power fails after any of a record's operations: what was
/// synced, and of the rest (contents not synced by SyncFile, names not synced by SyncFolder)
/// nothing, all, or a part. Names appear and disappear independently; contents are lost, torn at
/// 512 bytes or at 4 KiB, or are zeros. At most `limit` images, evenly chosen; each with the last
/// operation after which it is possible.
std::vector<CrashImage> crashImages(const RecordingFileSystem& record, std::size_t limit,
                                    std::size_t& possible);

} // namespace cannery::tests
