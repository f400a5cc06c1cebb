// SPDX-License-Identifier: Apache-2.0
#include "storage/io/zip_archive.h"

#include "core/base/memory_guard.h"
#include "storage/io/readable_file.h"

#include <zip.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <new>
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

constexpr std::string_view kEncrypted = "encrypted";
constexpr std::string_view kFileMark = "PK\x03\x04";
constexpr std::string_view kEmptyMark = "PK\x05\x06"; ///< of an archive without files

/// The message of libzip, in a sentence about the archive.
Error zipError(zip_error_t& zipFailure, const std::string& path)
{
    switch (zip_error_code_zip(&zipFailure)) {
    case ZIP_ER_MEMORY:
        throw std::bad_alloc();
    case ZIP_ER_NOZIP:
        return error(ErrorCode::InvalidArgument, kNotAnArchive, path);
    case ZIP_ER_CRC:
        return error(ErrorCode::DataLoss, kZipDamaged, path,
                     "a file in it does not agree with its checksum");
    default:
        return error(ErrorCode::DataLoss, kZipDamaged, path, zip_error_strerror(&zipFailure));
    }
}

/// A libzip error that is released.
struct ZipErrorHolder
{
    ZipErrorHolder() { zip_error_init(&zipFailure); }
    ZipErrorHolder(const ZipErrorHolder&) = delete;
    ZipErrorHolder& operator=(const ZipErrorHolder&) = delete;
    ~ZipErrorHolder() { zip_error_fini(&zipFailure); }

    zip_error_t zipFailure;
};

} // namespace

/// The open file and libzip's view of it, which threads use one after the other.
class ZipArchive::Opened
{
public:
    explicit Opened(ReadableFile file) : m_file(std::move(file)) { zip_error_init(&m_zipError); }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened()
    {
        if (m_zip != nullptr) {
            zip_discard(m_zip);
        }
        zip_error_fini(&m_zipError);
    }

    Result<void> open()
    {
        CANNERY_TRY_ASSIGN(m_size, m_file.size());
        ZipErrorHolder holder;
        zip_source_t* source = zip_source_function_create(&Opened::serve, this, &holder.zipFailure);
        if (source == nullptr) {
            throw std::bad_alloc();
        }
        m_zip = zip_open_from_source(source, ZIP_RDONLY, &holder.zipFailure);
        if (m_zip == nullptr) {
            zip_source_free(source);
            return tl::make_unexpected(failure(holder.zipFailure));
        }
        return {};
    }

    Result<std::vector<ZipEntry>> list() const
    {
        const auto count = static_cast<std::uint64_t>(zip_get_num_entries(m_zip, 0));
        if (count > kMostEntries) {
            return fail(ErrorCode::ResourceExhausted, kManyEntries, path(), count, kMostEntries);
        }
        std::vector<ZipEntry> entries;
        for (std::uint64_t i = 0; i < count; ++i) {
            zip_stat_t facts;
            if (zip_stat_index(m_zip, i, 0, &facts) != 0) {
                return tl::make_unexpected(zipError(*zip_get_error(m_zip), path()));
            }
            ZipEntry entry{.name = facts.name, .size = facts.size, .number = i};
            if (facts.encryption_method != ZIP_EM_NONE) {
                return fail(ErrorCode::Unimplemented, kMethod, entry.name, path(), kEncrypted);
            }
            entries.push_back(std::move(entry));
        }
        return entries;
    }

    Result<zip_file_t*> openEntry(const ZipEntry& entry)
    {
        const std::lock_guard lock(m_mutex);
        zip_file_t* file = zip_fopen_index(m_zip, entry.number, 0);
        if (file == nullptr) {
            zip_error_t& zipFailure = *zip_get_error(m_zip);
            const int code = zip_error_code_zip(&zipFailure);
            if (code == ZIP_ER_COMPNOTSUPP) {
                return fail(ErrorCode::Unimplemented, kMethod, entry.name, path(),
                            "compressed in a way that is not read");
            }
            return tl::make_unexpected(failure(zipFailure));
        }
        return file;
    }

    void closeEntry(zip_file_t* file)
    {
        const std::lock_guard lock(m_mutex);
        zip_fclose(file);
    }

    /// Bytes of an entry until the span is full or the entry ends.
    Result<std::size_t> readEntry(zip_file_t* file, std::span<std::byte> bytes)
    {
        const std::lock_guard lock(m_mutex);
        std::size_t have = 0;
        while (have < bytes.size()) {
            const zip_int64_t got = zip_fread(file, bytes.data() + have, bytes.size() - have);
            if (got < 0) {
                return tl::make_unexpected(failure(*zip_file_get_error(file)));
            }
            if (got == 0) {
                break;
            }
            have += static_cast<std::size_t>(got);
        }
        return have;
    }

    const std::string& path() const { return m_file.path(); }

private:
    /// What the file itself reported, or else libzip.
    Error failure(zip_error_t& zipFailure)
    {
        if (m_failure) {
            return *std::exchange(m_failure, std::nullopt);
        }
        return zipError(zipFailure, path());
    }

    /// Answers libzip's requests for bytes of the file.
    static zip_int64_t serve(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command)
    {
        Opened& opened = *static_cast<Opened*>(self);
        constexpr zip_int64_t kFailed = -1;
        switch (command) {
        case ZIP_SOURCE_OPEN:
            opened.m_place = 0;
            return 0;
        case ZIP_SOURCE_READ:
            return opened.serveBytes({static_cast<std::byte*>(data), length});
        case ZIP_SOURCE_SEEK: {
            const zip_int64_t place = zip_source_seek_compute_offset(
                opened.m_place, opened.m_size, data, length, &opened.m_zipError);
            opened.m_place = place < 0 ? opened.m_place : static_cast<std::uint64_t>(place);
            return place < 0 ? kFailed : 0;
        }
        case ZIP_SOURCE_TELL:
            return static_cast<zip_int64_t>(opened.m_place);
        case ZIP_SOURCE_STAT: {
            auto& facts = *static_cast<zip_stat_t*>(data);
            zip_stat_init(&facts);
            facts.size = opened.m_size;
            facts.valid = ZIP_STAT_SIZE;
            return sizeof(facts);
        }
        case ZIP_SOURCE_ERROR:
            return zip_error_to_data(&opened.m_zipError, data, length);
        case ZIP_SOURCE_SUPPORTS:
            return zip_source_make_command_bitmap(
                ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, -1);
        case ZIP_SOURCE_CLOSE:
        case ZIP_SOURCE_FREE:
            return 0;
        default:
            zip_error_set(&opened.m_zipError, ZIP_ER_OPNOTSUPP, 0);
            return kFailed;
        }
    }

    /// No exception may pass through libzip.
    zip_int64_t serveBytes(std::span<std::byte> bytes) noexcept
    {
        try {
            const Result<std::size_t> got = m_file.readAt(m_place, bytes);
            if (got) {
                m_place += *got;
                return static_cast<zip_int64_t>(*got);
            }
            m_failure = got.error();
            zip_error_set(&m_zipError, ZIP_ER_READ, EIO);
        } catch (const std::bad_alloc&) {
            zip_error_set(&m_zipError, ZIP_ER_MEMORY, 0);
        }
        return -1;
    }

    ReadableFile m_file;
    std::mutex m_mutex; ///< guards the following once the directory is read
    zip_t* m_zip = nullptr;
    zip_error_t m_zipError; ///< about the file's bytes
    std::optional<Error> m_failure;
    std::uint64_t m_size = 0;
    std::uint64_t m_place = 0;
};

/// One entry that is being read; it keeps its archive open.
class ZipArchive::EntryBytes
{
public:
    EntryBytes(std::shared_ptr<Opened> opened, zip_file_t* file, std::uint64_t size)
        : m_opened(std::move(opened)), m_file(file), m_left(size)
    {}
    EntryBytes(const EntryBytes&) = delete;
    EntryBytes& operator=(const EntryBytes&) = delete;
    ~EntryBytes() { m_opened->closeEntry(m_file); }

    Result<std::size_t> read(std::span<std::byte> bytes)
    {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), m_left));
        if (wanted == 0) {
            return 0;
        }
        CANNERY_TRY_ASSIGN(const std::size_t got, m_opened->readEntry(m_file, bytes.first(wanted)));
        if (got < wanted) {
            return fail(ErrorCode::DataLoss, kZipDamaged, m_opened->path(),
                        "a file in it breaks off");
        }
        m_left -= got;
        if (m_left == 0) {
            CANNERY_TRY(finish());
        }
        return got;
    }

private:
    /// libzip compares the checksum when it finds no byte behind the last one.
    Result<void> finish()
    {
        std::array<std::byte, 1> behind{};
        CANNERY_TRY_ASSIGN(const std::size_t more, m_opened->readEntry(m_file, behind));
        return more > 0 ? fail(ErrorCode::DataLoss, kZipDamaged, m_opened->path(),
                               "a file in it is longer than its directory says")
                        : Result<void>();
    }

    std::shared_ptr<Opened> m_opened;
    zip_file_t* m_file;
    std::uint64_t m_left;
};

ZipArchive::ZipArchive(std::shared_ptr<Opened> opened, std::vector<ZipEntry> entries)
    : m_opened(std::move(opened)), m_entries(std::move(entries))
{}

const std::string& ZipArchive::path() const
{
    return m_opened->path();
}

Result<ZipArchive> ZipArchive::open(const std::string& path)
{
    return guardMemory(path, [&]() -> Result<ZipArchive> {
        CANNERY_TRY_ASSIGN(ReadableFile file, ReadableFile::open(path));
        auto opened = std::make_shared<Opened>(std::move(file));
        CANNERY_TRY(opened->open());
        CANNERY_TRY_ASSIGN(std::vector<ZipEntry> entries, opened->list());
        return ZipArchive(std::move(opened), std::move(entries));
    });
}

Result<ByteSource> ZipArchive::read(const ZipEntry& entry) const
{
    return guardMemory(path(), [&]() -> Result<ByteSource> {
        CANNERY_TRY_ASSIGN(zip_file_t * file, m_opened->openEntry(entry));
        auto bytes = std::make_shared<EntryBytes>(m_opened, file, entry.size);
        return ByteSource([bytes](std::span<std::byte> room) { return bytes->read(room); });
    });
}

bool isZipArchive(const std::string& path)
{
    const Result<ReadableFile> file = ReadableFile::open(path);
    std::array<std::byte, kFileMark.size()> start{};
    const Result<std::size_t> got = file ? file->readAt(0, start) : Result<std::size_t>(0);
    const std::string_view text(reinterpret_cast<const char*>(start.data()), got.value_or(0));
    return text == kFileMark || text == kEmptyMark;
}

} // namespace cannery::storage
