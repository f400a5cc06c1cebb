// SPDX-License-Identifier: Apache-2.0
#include "storage/io/cached_files.h"

#include "storage/io/zipped_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

namespace cannery::storage {

/// One pass through a file: first the cached bytes, then the disk.
class CachedFiles::Reader
{
public:
    Reader(const CachedFiles& files, std::size_t file) : m_files(&files), m_file(file) {}

    Result<void> open()
    {
        CANNERY_TRY_ASSIGN(ReadableFile opened, ReadableFile::open(m_files->m_paths[m_file]));
        m_opened.emplace(std::move(opened));
        return {};
    }

    bool beginsAsZip() const
    {
        std::array<std::byte, kZipMark.size()> start{};
        std::optional<std::size_t> got = m_files->copyKept(m_file, 0, start);
        if (!got && m_opened) {
            got = m_opened->readAt(0, start).value_or(0);
        }
        return got && isZipMark(std::span(start).first(*got));
    }

    Result<std::size_t> read(std::span<std::byte> bytes)
    {
        if (const auto kept = m_files->copyKept(m_file, m_offset, bytes)) {
            m_offset += *kept;
            return *kept;
        }
        if (!m_opened) {
            CANNERY_TRY(open());
        }
        CANNERY_TRY_ASSIGN(const std::size_t got, m_opened->readAt(m_offset, bytes));
        m_files->keep(m_file, m_offset, bytes.first(got), got < bytes.size());
        m_offset += got;
        return got;
    }

private:
    const CachedFiles* m_files;
    std::size_t m_file;
    std::uint64_t m_offset = 0;
    std::optional<ReadableFile> m_opened;
};

CachedFiles::CachedFiles(std::vector<std::string> paths, std::size_t limit, Archives archives)
    : m_paths(std::move(paths)), m_archives(archives), m_starts(m_paths.size()), m_room(limit)
{}

Result<ByteSource> CachedFiles::open(std::size_t file) const
{
    auto reader = std::make_shared<Reader>(*this, file);
    // Opened at once, so that a missing file is an error of open(). What is cached needs no disk.
    if (!isWhole(file)) {
        CANNERY_TRY(reader->open());
    }
    if (m_archives == Archives::TheirTable && reader->beginsAsZip()) {
        CANNERY_TRY_ASSIGN(std::optional<ByteSource> table, openZippedTable(m_paths[file]));
        if (table) {
            return std::move(*table);
        }
    }
    return [reader](std::span<std::byte> bytes) { return reader->read(bytes); };
}

bool CachedFiles::isWhole(std::size_t file) const
{
    const std::lock_guard lock(m_mutex);
    return m_starts[file].isWhole;
}

std::optional<std::size_t> CachedFiles::copyKept(std::size_t file, std::uint64_t offset,
                                                 std::span<std::byte> bytes) const
{
    const std::lock_guard lock(m_mutex);
    const Start& start = m_starts[file];
    if (offset >= start.size) {
        return start.isWhole ? std::optional<std::size_t>(0) : std::nullopt;
    }
    const auto behind = std::upper_bound(
        start.pieces.begin(), start.pieces.end(), offset,
        [](std::uint64_t wanted, const Piece& piece) { return wanted < piece.offset; });
    const Piece& piece = *std::prev(behind);
    const auto rest =
        std::span(piece.bytes).subspan(static_cast<std::size_t>(offset - piece.offset));
    const std::size_t count = std::min(rest.size(), bytes.size());
    std::copy_n(rest.begin(), count, bytes.begin());
    return count;
}

void CachedFiles::keep(std::size_t file, std::uint64_t offset, std::span<const std::byte> bytes,
                       bool isEnd) const
{
    const std::lock_guard lock(m_mutex);
    Start& start = m_starts[file];
    // Only what follows the cached bytes: they have no gaps.
    if (offset != start.size || start.isWhole) {
        return;
    }
    // As much as there is room for: the rest is read from the disk in each pass.
    const auto kept = bytes.first(std::min(bytes.size(), m_room));
    if (!kept.empty()) {
        start.pieces.push_back({.offset = offset, .bytes = {kept.begin(), kept.end()}});
        start.size += kept.size();
        m_room -= kept.size();
    }
    start.isWhole = isEnd && kept.size() == bytes.size();
}

} // namespace cannery::storage
