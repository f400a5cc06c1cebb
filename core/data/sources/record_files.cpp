// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/record_files.h"

#include "core/data/sources/image_listing.h"
#include "core/data/sources/record_folder.h"
#include "core/data/sources/record_signature.h"
#include "storage/io/cached_files.h"
#include "storage/io/files.h"
#include "storage/tabular/file_patterns.h"

#include <algorithm>
#include <span>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kNotRecords{
    "tfrecord.not_records",
    "{} is not a TFRecord file: its first bytes are no length with its checksum, and it is not "
    "compressed with GZIP or ZLIB. Name the files that tf.io.TFRecordWriter wrote."};

constexpr ErrorKind kLostShard{
    "tfrecord.lost_shard",
    "{} has 0 bytes, but {} is compressed, and a compressed file has some bytes even if it holds "
    "no "
    "record: the file was not written to its end. Copy or write it again, or leave it out."};

} // namespace

Result<RecordFiles> findRecordFiles(const std::vector<std::string>& patterns,
                                    const std::string& split)
{
    CANNERY_TRY_ASSIGN(const std::vector<std::string> named, storage::expandPatterns(patterns));
    std::vector<std::string> paths;
    for (const std::string& path : named) {
        // A folder stands for the records in it and below.
        if (storage::isFolder(path)) {
            CANNERY_TRY_ASSIGN(const std::vector<std::string> inside, recordsBelow(path));
            paths.insert(paths.end(), inside.begin(), inside.end());
            continue;
        }
        CANNERY_TRY_ASSIGN(const bool isOne, beginsAsRecords(path));
        if (!isOne) {
            return fail(ErrorCode::InvalidArgument, kNotRecords, path);
        }
        paths.push_back(path);
    }
    // Sorted as a whole: the order of rows must not depend on how files are named.
    std::sort(paths.begin(), paths.end());
    RecordFiles files;
    CANNERY_TRY_ASSIGN(files.paths, filesOfSplit(paths, split));
    files.kept = std::make_shared<const storage::CachedFiles>(files.paths);
    return files;
}

bool areRecords(const std::string& path)
{
    if (!storage::isFolder(path)) {
        return holdsRecords(path);
    }
    // Looking for records opens every file, and there may be a million pictures.
    return !hasImagesBelow(path) && hasRecordsBelow(path);
}

Error withSkipHint(Error damage)
{
    return std::move(damage).with("'corrupt: SKIP' in the source leaves damaged records out");
}

RecordFileReader::RecordFileReader(const RecordFiles& files, storage::ByteObserver* observer)
    : m_files(files), m_observer(observer)
{}

Result<void> RecordFileReader::openFile()
{
    CANNERY_TRY_ASSIGN(storage::ByteSource bytes, m_files.kept->open(m_file));
    if (m_observer != nullptr) {
        // What is read is seen by the fingerprint on its way.
        bytes = [bytes = std::move(bytes),
                 observer = m_observer](std::span<std::byte> room) -> Result<std::size_t> {
            CANNERY_TRY_ASSIGN(const std::size_t got, bytes(room));
            observer->see(room.first(got));
            return got;
        };
    }
    CANNERY_TRY_ASSIGN(storage::RecordBlockReader reader,
                       storage::RecordBlockReader::open(std::move(bytes), m_files.paths[m_file]));
    m_reader.emplace(std::move(reader));
    return checkNotLost();
}

/// A plain file without records has no bytes; a compressed one would.
Result<void> RecordFileReader::checkNotLost()
{
    if (m_reader->isEmpty()) {
        // The first of each kind is enough for the sentence.
        m_empty = m_empty.value_or(m_file);
    } else if (m_reader->compression() != storage::Compression::None) {
        m_packed = m_packed.value_or(m_file);
    }
    if (m_empty && m_packed) {
        return fail(ErrorCode::DataLoss, kLostShard, m_files.paths[*m_empty],
                    m_files.paths[*m_packed]);
    }
    return {};
}

Result<bool> RecordFileReader::next(storage::RecordBlock& block, std::size_t blockBytes)
{
    while (m_file < m_files.paths.size()) {
        if (!m_reader) {
            CANNERY_TRY(openFile());
        }
        CANNERY_TRY_ASSIGN(const bool isThere, m_reader->next(block, blockBytes));
        if (isThere) {
            block.file = m_file;
            // Of the content, also in a compressed file.
            m_bytesRead += block.end - block.offset;
            return true;
        }
        m_reader.reset();
        ++m_file;
        if (m_observer != nullptr) {
            // A fingerprint is of whole files.
            m_observer->endFile();
        }
    }
    return false;
}

} // namespace cannery::data
