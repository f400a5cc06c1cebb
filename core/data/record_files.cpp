// SPDX-License-Identifier: Apache-2.0
#include "core/data/record_files.h"

#include "storage/io/files.h"
#include "storage/io/kept_files.h"
#include "storage/tabular/file_patterns.h"
#include "storage/tf/record_errors.h"

#include <algorithm>
#include <span>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kNotRecords{
    "tfrecord.not_records",
    "{} is not a TFRecord file: its first bytes are no length with its checksum, and it is not "
    "compressed with GZIP or ZLIB. Name the files that tf.io.TFRecordWriter wrote."};
constexpr ErrorKind kNoRecordsInFolder{"tfrecord.none_in_folder",
                                       "The folder {} holds no TFRecord file.{}"};

/// Whether the file begins as a TFRecord file does; an empty one holds no records.
Result<bool> beginsAsRecords(const std::string& path)
{
    const storage::KeptFiles file({path});
    CANNERY_TRY_ASSIGN(storage::ByteSource bytes, file.open(0));
    Result<storage::RecordBlockReader> reader =
        storage::RecordBlockReader::open(std::move(bytes), path);
    if (!reader) {
        return tl::make_unexpected(std::move(reader).error());
    }
    storage::RecordBlock block;
    const Result<bool> isThere = reader->next(block, storage::kRecordHeaderBytes);
    if (!isThere || !*isThere) {
        return isThere.has_value();
    }
    const bool isCutAtOnce = block.end < storage::kRecordHeaderBytes;
    const bool isOther = !block.damages.empty() && block.damages.front().offset == 0 &&
                         block.damages.front().error.id == storage::kFrameDamaged.id &&
                         block.damages.front().error.arguments.back() == "length";
    return !isCutAtOnce && !isOther;
}

bool holdsRecords(const std::string& path)
{
    const Result<std::uint64_t> bytes = storage::fileSize(path);
    const Result<bool> isOne = beginsAsRecords(path);
    return bytes && *bytes > 0 && isOne && *isOne;
}

/// What to name instead of a folder without records.
std::string hintFor(const std::string& folder)
{
    const Result<std::vector<std::string>> names = storage::listFolder(folder);
    if (names) {
        for (const std::string& name : *names) {
            const std::string inside = storage::joinPath(folder, name);
            if (name.starts_with("Split-") && storage::isFolder(inside)) {
                return " Name one of its splits, such as " + inside + ".";
            }
        }
    }
    return " Name the folder of the files.";
}

Result<void> addFolder(const std::string& folder, std::vector<std::string>& paths)
{
    CANNERY_TRY_ASSIGN(const std::vector<std::string> names, storage::listFolder(folder));
    const std::size_t before = paths.size();
    for (const std::string& name : names) {
        const std::string path = storage::joinPath(folder, name);
        if (name.starts_with('.') || name.starts_with('_') || storage::isFolder(path)) {
            continue;
        }
        if (holdsRecords(path)) {
            paths.push_back(path);
        }
    }
    if (paths.size() == before) {
        return fail(ErrorCode::NotFound, kNoRecordsInFolder, folder, hintFor(folder));
    }
    return {};
}

} // namespace

Result<RecordFiles> findRecordFiles(const std::vector<std::string>& patterns)
{
    CANNERY_TRY_ASSIGN(const std::vector<std::string> named, storage::expandPatterns(patterns));
    RecordFiles files;
    for (const std::string& path : named) {
        if (storage::isFolder(path)) {
            CANNERY_TRY(addFolder(path, files.paths));
            continue;
        }
        CANNERY_TRY_ASSIGN(const bool isOne, beginsAsRecords(path));
        if (!isOne) {
            return fail(ErrorCode::InvalidArgument, kNotRecords, path);
        }
        files.paths.push_back(path);
    }
    std::sort(files.paths.begin(), files.paths.end());
    files.kept = std::make_shared<const storage::KeptFiles>(files.paths);
    return files;
}

bool areRecords(const std::string& path)
{
    if (!storage::isFolder(path)) {
        return holdsRecords(path);
    }
    std::vector<std::string> files;
    return addFolder(path, files).has_value();
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
            m_bytesRead += block.end - block.offset;
            return true;
        }
        m_reader.reset();
        ++m_file;
        if (m_observer != nullptr) {
            m_observer->endFile();
        }
    }
    return false;
}

} // namespace cannery::data
