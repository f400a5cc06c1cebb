// SPDX-License-Identifier: Apache-2.0
#include "storage/io/zip_archive.h"

#include "core/base/memory_guard.h"
#include "storage/io/coding.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace cannery::storage {

namespace {

constexpr ErrorKind kNotAnArchive{"zip.not_an_archive",
                                  "{} is not a zip archive, or breaks off. Write it again."};
constexpr ErrorKind kZipDamaged{"zip.damaged",
                                "The zip archive {} is damaged: {}. Write it again."};
constexpr ErrorKind kManyEntries{"zip.too_many_entries",
                                 "The zip archive {} has {} entries; at most {} are read."};
constexpr ErrorKind kMethod{"zip.method", "{} of {} is {}. Save the archive without it."};

constexpr std::uint32_t kEndMark = 0x06054b50;
constexpr std::uint32_t kEnd64Mark = 0x06064b50;
constexpr std::uint32_t kLocator64Mark = 0x07064b50;
constexpr std::uint32_t kEntryMark = 0x02014b50;
constexpr std::uint32_t kLocalMark = 0x04034b50;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocator64Bytes = 20;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::uint64_t kMostDirectoryBytes = std::uint64_t{64} << 20U;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kEncrypted = 1;
constexpr std::uint16_t kZip64Extra = 1;
constexpr std::uint32_t kIn64 = std::numeric_limits<std::uint32_t>::max();

/// Reads numbers from the front of a text that is long enough.
struct Fields
{
    std::string_view text;

    template <typename T>
    T take()
    {
        return getFixed<T>(text).value_or(T{});
    }
    void skip(std::size_t bytes) { text.remove_prefix(std::min(bytes, text.size())); }
};

Result<std::vector<char>> bytesAt(const ReadableFile& file, std::uint64_t offset,
                                  std::uint64_t count)
{
    std::vector<char> bytes(static_cast<std::size_t>(count));
    CANNERY_TRY_ASSIGN(const std::size_t got,
                       file.readAt(offset, std::as_writable_bytes(std::span(bytes))));
    if (got < count) {
        return fail(ErrorCode::DataLoss, kZipDamaged, file.path(), "it breaks off");
    }
    return bytes;
}

std::string_view textOf(const std::vector<char>& bytes)
{
    return {bytes.data(), bytes.size()};
}

struct Directory
{
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t entries = 0;
};

/// The directory's place by the zip64 record, if the archive has one before its end record.
Result<std::optional<Directory>> find64(const ReadableFile& file, std::uint64_t endAt)
{
    if (endAt < kLocator64Bytes) {
        return std::optional<Directory>();
    }
    CANNERY_TRY_ASSIGN(const std::vector<char> locator,
                       bytesAt(file, endAt - kLocator64Bytes, kLocator64Bytes));
    Fields place{textOf(locator)};
    if (place.take<std::uint32_t>() != kLocator64Mark) {
        return std::optional<Directory>();
    }
    place.skip(4);
    const auto at = place.take<std::uint64_t>();
    if (at > endAt) {
        return fail(ErrorCode::DataLoss, kZipDamaged, file.path(), "its end points outside");
    }
    CANNERY_TRY_ASSIGN(const std::vector<char> record, bytesAt(file, at, kEnd64Bytes));
    Fields fields{textOf(record)};
    if (fields.take<std::uint32_t>() != kEnd64Mark) {
        return fail(ErrorCode::DataLoss, kZipDamaged, file.path(), "its end points nowhere");
    }
    fields.skip(28);
    Directory directory;
    directory.entries = fields.take<std::uint64_t>();
    directory.bytes = fields.take<std::uint64_t>();
    directory.offset = fields.take<std::uint64_t>();
    return std::optional(directory);
}

Result<Directory> findDirectory(const ReadableFile& file)
{
    CANNERY_TRY_ASSIGN(const std::uint64_t size, file.size());
    const std::uint64_t most = kEndBytes + std::numeric_limits<std::uint16_t>::max();
    const std::uint64_t from = size > most ? size - most : 0;
    CANNERY_TRY_ASSIGN(const std::vector<char> tail, bytesAt(file, from, size - from));
    for (std::size_t at = tail.size() >= kEndBytes ? tail.size() - kEndBytes + 1 : 0; at-- > 0;) {
        Fields fields{textOf(tail).substr(at)};
        if (fields.take<std::uint32_t>() != kEndMark) {
            continue;
        }
        CANNERY_TRY_ASSIGN(const std::optional<Directory> large, find64(file, from + at));
        if (large) {
            return *large;
        }
        fields.skip(6);
        Directory directory;
        directory.entries = fields.take<std::uint16_t>();
        directory.bytes = fields.take<std::uint32_t>();
        directory.offset = fields.take<std::uint32_t>();
        return directory;
    }
    return fail(ErrorCode::InvalidArgument, kNotAnArchive, file.path());
}

/// Replaces what did not fit 32 bits by the numbers of the zip64 field.
void read64(std::string_view extra, ZipEntry& entry)
{
    Fields fields{extra};
    while (fields.text.size() >= 4) {
        const auto id = fields.take<std::uint16_t>();
        const auto bytes = fields.take<std::uint16_t>();
        if (id == kZip64Extra) {
            for (std::uint64_t* value : {&entry.size, &entry.packedSize, &entry.headerOffset}) {
                if (*value == kIn64 && fields.text.size() >= sizeof(std::uint64_t)) {
                    *value = fields.take<std::uint64_t>();
                }
            }
            return;
        }
        fields.skip(bytes);
    }
}

Result<std::vector<ZipEntry>> readDirectory(const ReadableFile& file)
{
    CANNERY_TRY_ASSIGN(const Directory directory, findDirectory(file));
    CANNERY_TRY_ASSIGN(const std::uint64_t size, file.size());
    if (directory.entries > ZipArchive::kMostEntries || directory.bytes > kMostDirectoryBytes) {
        return fail(ErrorCode::ResourceExhausted, kManyEntries, file.path(), directory.entries,
                    ZipArchive::kMostEntries);
    }
    if (directory.offset > size || directory.bytes > size - directory.offset) {
        return fail(ErrorCode::DataLoss, kZipDamaged, file.path(), "its directory lies outside");
    }
    CANNERY_TRY_ASSIGN(const std::vector<char> text,
                       bytesAt(file, directory.offset, directory.bytes));
    Fields fields{textOf(text)};
    std::vector<ZipEntry> entries;
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
        if (fields.text.size() < kEntryBytes || fields.take<std::uint32_t>() != kEntryMark) {
            return fail(ErrorCode::DataLoss, kZipDamaged, file.path(), "its directory is broken");
        }
        ZipEntry entry;
        fields.skip(4);
        const bool isEncrypted = (fields.take<std::uint16_t>() & kEncrypted) != 0;
        entry.method = fields.take<std::uint16_t>();
        fields.skip(8);
        entry.packedSize = fields.take<std::uint32_t>();
        entry.size = fields.take<std::uint32_t>();
        const auto nameBytes = fields.take<std::uint16_t>();
        const auto extraBytes = fields.take<std::uint16_t>();
        const auto commentBytes = fields.take<std::uint16_t>();
        fields.skip(8);
        entry.headerOffset = fields.take<std::uint32_t>();
        entry.name = fields.text.substr(0, nameBytes);
        fields.skip(nameBytes);
        read64(fields.text.substr(0, extraBytes), entry);
        fields.skip(std::size_t{extraBytes} + commentBytes);
        if (isEncrypted) {
            return fail(ErrorCode::Unimplemented, kMethod, entry.name, file.path(), "encrypted");
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

/// The bytes of a deflate stream.
class Inflating
{
public:
    Inflating(std::shared_ptr<const ReadableFile> file, std::uint64_t offset, const ZipEntry& entry)
        : m_file(std::move(file)), m_offset(offset), m_packedLeft(entry.packedSize),
          m_left(entry.size)
    {
        constexpr int kNoHeader = -MAX_WBITS;
        if (inflateInit2(&m_stream, kNoHeader) != Z_OK) {
            throw std::bad_alloc();
        }
    }
    Inflating(const Inflating&) = delete;
    Inflating& operator=(const Inflating&) = delete;
    ~Inflating() { inflateEnd(&m_stream); }

    Result<std::size_t> read(std::span<std::byte> bytes)
    {
        const std::size_t wanted =
            static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), m_left));
        m_stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
        m_stream.avail_out =
            static_cast<uInt>(std::min<std::size_t>(wanted, std::numeric_limits<uInt>::max()));
        const std::size_t room = m_stream.avail_out;
        while (m_stream.avail_out > 0) {
            CANNERY_TRY(refill());
            const int result = inflate(&m_stream, Z_NO_FLUSH);
            const bool isOver = result == Z_STREAM_END && m_stream.avail_out > 0;
            if (isOver || (result != Z_OK && result != Z_STREAM_END)) {
                return fail(ErrorCode::DataLoss, kZipDamaged, m_file->path(),
                            "a file in it cannot be decompressed");
            }
        }
        m_left -= room;
        return room;
    }

private:
    Result<void> refill()
    {
        if (m_stream.avail_in > 0 || m_packedLeft == 0) {
            return {};
        }
        const std::size_t count =
            static_cast<std::size_t>(std::min<std::uint64_t>(m_packed.size(), m_packedLeft));
        CANNERY_TRY_ASSIGN(const std::size_t got,
                           m_file->readAt(m_offset, std::span(m_packed).first(count)));
        m_offset += got;
        m_packedLeft = got < count ? 0 : m_packedLeft - got;
        m_stream.next_in = reinterpret_cast<Bytef*>(m_packed.data());
        m_stream.avail_in = static_cast<uInt>(got);
        return {};
    }

    std::shared_ptr<const ReadableFile> m_file;
    std::uint64_t m_offset;
    std::uint64_t m_packedLeft;
    std::uint64_t m_left;
    std::array<std::byte, std::size_t{64} << 10U> m_packed{};
    z_stream m_stream{};
};

} // namespace

Result<ZipArchive> ZipArchive::open(const std::string& path)
{
    return guardMemory(path, [&]() -> Result<ZipArchive> {
        CANNERY_TRY_ASSIGN(ReadableFile opened, ReadableFile::open(path));
        auto file = std::make_shared<const ReadableFile>(std::move(opened));
        CANNERY_TRY_ASSIGN(std::vector<ZipEntry> entries, readDirectory(*file));
        return ZipArchive(std::move(file), std::move(entries));
    });
}

Result<ByteSource> ZipArchive::read(const ZipEntry& entry) const
{
    CANNERY_TRY_ASSIGN(const std::vector<char> header,
                       bytesAt(*m_file, entry.headerOffset, kLocalBytes));
    Fields fields{textOf(header)};
    if (fields.take<std::uint32_t>() != kLocalMark) {
        return fail(ErrorCode::DataLoss, kZipDamaged, path(), "a file in it has no header");
    }
    fields.skip(22);
    const auto nameBytes = fields.take<std::uint16_t>();
    const auto extraBytes = fields.take<std::uint16_t>();
    const std::uint64_t offset = entry.headerOffset + kLocalBytes + nameBytes + extraBytes;
    if (entry.method == kDeflated) {
        auto inflating = std::make_shared<Inflating>(m_file, offset, entry);
        return ByteSource(
            [inflating](std::span<std::byte> bytes) { return inflating->read(bytes); });
    }
    if (entry.method != kStored) {
        return fail(ErrorCode::Unimplemented, kMethod, entry.name, path(),
                    "compressed in a way that is not read (only deflate is)");
    }
    auto place = std::make_shared<std::pair<std::uint64_t, std::uint64_t>>(offset, entry.size);
    return ByteSource([file = m_file, place](std::span<std::byte> bytes) -> Result<std::size_t> {
        auto& [at, left] = *place;
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left));
        CANNERY_TRY_ASSIGN(const std::size_t got, file->readAt(at, bytes.first(count)));
        at += got;
        left -= got;
        return got;
    });
}

} // namespace cannery::storage
