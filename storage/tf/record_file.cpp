// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/record_file.h"

#include "core/base/memory_guard.h"
#include "storage/io/coding.h"
#include "storage/io/crc32c_short.h"
#include "storage/io/readable_file.h"
#include "storage/tf/record_errors.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace cannery::storage {

namespace {

/// For fewer bytes, calling the checksum function costs more than it gains.
constexpr std::size_t kShortPayload = 512;
/// A length is trusted this much at a time, in case the file does not have the bytes.
constexpr std::size_t kPayloadGrowth = std::size_t{1} << 20U;

void appendFrame(std::string& bytes, std::string_view payload)
{
    std::array<char, kRecordHeaderBytes> header{};
    const std::uint64_t length = payload.size();
    std::memcpy(header.data(), &length, sizeof(length));
    const std::string_view lengthBytes(header.data(), sizeof(length));
    const std::uint32_t lengthCrc = maskCrc(detail::crc32cShort(lengthBytes));
    std::memcpy(header.data() + sizeof(length), &lengthCrc, sizeof(lengthCrc));
    bytes.append(header.data(), header.size());
    bytes.append(payload);
    putFixed(bytes, maskCrc(payload.size() < kShortPayload ? detail::crc32cShort(payload)
                                                           : crc32c(payload)));
}

Result<Compression> compressionOf(const std::string& path)
{
    CANNERY_TRY_ASSIGN(ReadableFile file, ReadableFile::open(path));
    std::string start(kRecordHeaderBytes, '\0');
    CANNERY_TRY_ASSIGN(const std::size_t got,
                       file.readAt(0, std::as_writable_bytes(std::span(start))));
    start.resize(got);
    // First, since a length can begin with the bytes of a compressed file.
    if (got == kRecordHeaderBytes && hasGoodLength(start)) {
        return Compression::None;
    }
    return sniffCompression(std::as_bytes(std::span(start)));
}

} // namespace

bool hasGoodLength(std::string_view header)
{
    const std::uint32_t crc = maskCrc(crc32c(header.substr(0, sizeof(std::uint64_t))));
    header.remove_prefix(sizeof(std::uint64_t));
    return getFixed<std::uint32_t>(header) == crc;
}

struct RecordReader::State
{
    InflateReader bytes;
    std::string path;
    std::string payload;
    std::uint64_t offset = 0;
    std::uint64_t records = 0;
    ReadGuard guard; ///< a partially read record cannot be read again

    Result<std::optional<std::string_view>> next();
    tl::unexpected<Error> breaksOff() const
    {
        return fail(ErrorCode::DataLoss, kFrameBreaksOff, path, records + 1, offset);
    }
    Result<void> fill(std::size_t count);
};

/// Sets `payload` to the next bytes.
Result<void> RecordReader::State::fill(std::size_t count)
{
    payload.clear();
    while (payload.size() < count) {
        const std::size_t filled = payload.size();
        payload.resize(std::min(count, filled + kPayloadGrowth));
        const auto rest = std::as_writable_bytes(std::span(payload)).subspan(filled);
        CANNERY_TRY_ASSIGN(const std::size_t got, bytes.read(rest));
        if (got < rest.size()) {
            return breaksOff();
        }
    }
    return {};
}

RecordReader::RecordReader(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RecordReader::RecordReader(RecordReader&&) noexcept = default;
RecordReader& RecordReader::operator=(RecordReader&&) noexcept = default;
RecordReader::~RecordReader() = default;

Result<RecordReader> RecordReader::open(const std::string& path)
{
    return guardMemory(path, [&]() -> Result<RecordReader> {
        CANNERY_TRY_ASSIGN(const Compression compression, compressionOf(path));
        return open(path, compression);
    });
}

Result<RecordReader> RecordReader::open(const std::string& path, Compression compression)
{
    return guardMemory(path, [&]() -> Result<RecordReader> {
        CANNERY_TRY_ASSIGN(ReadableFile opened, ReadableFile::open(path));
        auto file = std::make_shared<ReadableFile>(std::move(opened));
        // Shared, because the closure must be copyable, which a file is not.
        auto source = [file](std::span<std::byte> bytes) { return file->readNext(bytes); };
        return RecordReader(std::make_unique<State>(
            State{.bytes = InflateReader(std::move(source), compression, path), .path = path}));
    });
}

Result<std::optional<std::string_view>> RecordReader::next()
{
    return m_state->guard.run(m_state->path, [&] { return m_state->next(); });
}

Result<std::optional<std::string_view>> RecordReader::State::next()
{
    State& state = *this;
    std::string header(kRecordHeaderBytes, '\0');
    CANNERY_TRY_ASSIGN(const std::size_t got,
                       state.bytes.read(std::as_writable_bytes(std::span(header))));
    if (got == 0) { // between two records
        return std::optional<std::string_view>();
    }
    if (got < kRecordHeaderBytes) {
        return state.breaksOff();
    }
    if (!hasGoodLength(header)) {
        return fail(ErrorCode::DataLoss, kFrameDamaged, state.path, state.records + 1, state.offset,
                    "length");
    }
    std::string_view text = header;
    const std::uint64_t length = *getFixed<std::uint64_t>(text);
    // Before memory is reserved for it.
    if (length > kMaxRecordBytes) {
        return fail(ErrorCode::ResourceExhausted, kFrameTooLong, state.records + 1, state.path,
                    state.offset, length, kMaxRecordBytes);
    }
    CANNERY_TRY(state.fill(length + kRecordTrailerBytes));
    const std::string_view payload = std::string_view(state.payload).substr(0, length);
    std::string_view trailer = std::string_view(state.payload).substr(length);
    if (getFixed<std::uint32_t>(trailer) != maskCrc(crc32c(payload))) {
        return fail(ErrorCode::DataLoss, kFrameDamaged, state.path, state.records + 1, state.offset,
                    "content");
    }
    state.offset += kRecordHeaderBytes + length + kRecordTrailerBytes;
    ++state.records;
    return std::optional(payload);
}

std::uint64_t RecordReader::recordCount() const
{
    return m_state->records;
}

Result<RecordWriter> RecordWriter::create(const std::string& path, Compression compression,
                                          FileSystem& system)
{
    CANNERY_TRY_ASSIGN(std::unique_ptr<WritableFile> plain, system.create(path));
    CANNERY_TRY_ASSIGN(std::unique_ptr<WritableFile> file, packInto(std::move(plain), compression));
    return RecordWriter(std::move(file));
}

Result<RecordWriter> RecordWriter::append(const std::string& path, FileSystem& system)
{
    CANNERY_TRY_ASSIGN(std::unique_ptr<WritableFile> file, system.openForAppend(path));
    return RecordWriter(std::move(file));
}

Result<void> RecordWriter::write(std::string_view payload)
{
    m_frame.clear();
    appendFrame(m_frame, payload);
    return m_file->append(m_frame);
}

std::string frameRecord(std::string_view payload)
{
    std::string frame;
    frame.reserve(kRecordHeaderBytes + payload.size() + kRecordTrailerBytes);
    appendFrame(frame, payload);
    return frame;
}

} // namespace cannery::storage
