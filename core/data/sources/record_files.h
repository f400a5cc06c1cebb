// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tabular/csv/csv_block_reader.h"
#include "storage/tf/record_blocks.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::storage {
class CachedFiles;
} // namespace cannery::storage

namespace cannery::data {

/// TFRecord files of one table, in order of name.
struct RecordFiles
{
    std::vector<std::string> paths; ///< at least one
    std::shared_ptr<const storage::CachedFiles> kept;
};

/// The files that paths, globs and folders name; of a folder, those of its data set (see
/// record_folder.h). With a split, only those that belong to it. Errors: nothing found, a named
/// file that is no TFRecord file.
Result<RecordFiles> findRecordFiles(const std::vector<std::string>& patterns,
                                    const std::string& split);

/// Whether a file begins with a record, or a folder holds a data set of such files.
bool areRecords(const std::string& path);

/// The error about damaged bytes, with how to go on without them.
Error withSkipHint(Error damage);

/// Blocks of records of several files, in order. One thread.
class RecordFileReader
{
public:
    /// Both must outlive this; `observer` receives the bytes as they are on disk, and may be null.
    explicit RecordFileReader(const RecordFiles& files, storage::ByteObserver* observer = nullptr);

    /// Fills the block; false at the end of the last file. Errors: an unreadable file;
    /// "tfrecord.lost_shard" if a file has no bytes and another one is compressed.
    Result<bool> next(storage::RecordBlock& block, std::size_t blockBytes);
    /// Decompressed bytes of the blocks so far.
    std::uint64_t bytesRead() const { return m_bytesRead; }

private:
    Result<void> openFile();
    Result<void> checkNotLost();

    const RecordFiles& m_files;
    storage::ByteObserver* m_observer;
    std::optional<storage::RecordBlockReader> m_reader;
    std::size_t m_file = 0;
    std::optional<std::size_t> m_empty;  ///< the first file without bytes so far
    std::optional<std::size_t> m_packed; ///< the first compressed one
    std::uint64_t m_bytesRead = 0;
};

} // namespace cannery::data
