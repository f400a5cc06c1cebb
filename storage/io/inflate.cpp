// SPDX-License-Identifier: Apache-2.0
#include "storage/io/inflate.h"

#include "core/base/check.h"
#include "core/base/interruption.h"
#include "core/base/memory_guard.h"
#include "storage/io/readable_file.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

namespace cannery::storage {

namespace {

constexpr std::size_t kChunk = std::size_t{128} << 10U;
// zlib's windowBits: 15 is the largest window (32 KiB), 16 more mean a gzip header and trailer.
constexpr int kGzipWindow = 15 + 16;
constexpr int kZlibWindow = 15;
constexpr int kMemoryLevel = 8;

constexpr ErrorKind kDamaged{"io.packed_damaged",
                             "The compressed file {} is damaged: {}. Download or write it again."};
constexpr ErrorKind kBreaksOff{
    "io.packed_breaks_off",
    "The compressed file {} ends in the middle of its stream. Download or write it again."};
constexpr ErrorKind kNoMemory{"io.packed_no_memory",
                              "There is not enough memory to decompress {}."};

constexpr ErrorKind kTooDense{
    "io.packed_too_dense",
    "The compressed file {} expands to more than {} times its size (over {} bytes), as a "
    "decompression bomb does. Decompress it first if you trust it."};

int windowBits(Compression compression)
{
    return compression == Compression::Gzip ? kGzipWindow : kZlibWindow;
}

Bytef* zlibBytes(std::span<const std::byte> bytes)
{
    return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
}

} // namespace

struct InflateReader::State
{
    ByteSource source;
    Compression compression;
    std::string name;
    InflateLimits limits;
    std::uint64_t bytesIn = 0; ///< compressed bytes used so far
    std::uint64_t bytesOut = 0;
    std::vector<std::byte> packed;
    z_stream stream = {};
    bool isOpen = false;   ///< the zlib stream is initialised
    bool inMember = false; ///< part of the current member has been read
    bool atEnd = false;
    ReadGuard guard;

    ~State()
    {
        if (isOpen) {
            inflateEnd(&stream);
        }
    }
    Result<std::size_t> fill(std::span<std::byte> bytes);
    Result<void> refill();
    Result<std::size_t> inflateInto(std::span<std::byte> bytes);
};

Result<void> InflateReader::State::refill()
{
    packed.resize(kChunk);
    CANNERY_TRY_ASSIGN(const std::size_t got, source(packed));
    stream.next_in = zlibBytes(packed);
    stream.avail_in = static_cast<uInt>(got);
    if (got == 0) {
        atEnd = true;
        if (inMember) {
            return fail(ErrorCode::DataLoss, kBreaksOff, name);
        }
    }
    return {};
}

Result<std::size_t> InflateReader::State::inflateInto(std::span<std::byte> bytes)
{
    // Little by little, so that a bomb is recognized long before it fills a large buffer.
    const auto wanted = static_cast<uInt>(std::min<std::size_t>(bytes.size(), kChunk * 8));
    stream.next_out = zlibBytes(bytes);
    stream.avail_out = wanted;
    while (!atEnd && stream.avail_out == wanted) {
        if (stream.avail_in == 0) {
            CANNERY_TRY(refill());
            continue;
        }
        inMember = true;
        const uInt inBefore = stream.avail_in;
        const uInt outBefore = stream.avail_out;
        const int status = ::inflate(&stream, Z_NO_FLUSH);
        bytesIn += inBefore - stream.avail_in;
        bytesOut += outBefore - stream.avail_out;
        if (bytesOut > limits.freeBytes && bytesOut / limits.ratio > bytesIn) {
            return fail(ErrorCode::ResourceExhausted, kTooDense, name, limits.ratio,
                        limits.freeBytes);
        }
        if (status == Z_MEM_ERROR) {
            return fail(ErrorCode::ResourceExhausted, kNoMemory, name);
        }
        if (status == Z_STREAM_END) {
            // A gzip file may consist of several members, one after the other (RFC 1952).
            inMember = false;
            inflateReset(&stream);
            // Z_BUF_ERROR means only that more input or room is needed.
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            return fail(ErrorCode::DataLoss, kDamaged, name,
                        stream.msg != nullptr ? stream.msg : "not a packed stream");
        }
    }
    return wanted - stream.avail_out;
}

Compression sniffCompression(std::span<const std::byte> start)
{
    if (start.size() < 2) {
        return Compression::None;
    }
    const auto first = static_cast<unsigned>(start[0]);
    const auto second = static_cast<unsigned>(start[1]);
    if (first == 0x1f && second == 0x8b) {
        return Compression::Gzip;
    }
    // RFC 1950: deflate with a 32 KiB window, and one check byte for each of the four levels.
    const bool isZlib =
        first == 0x78 && (second == 0x01 || second == 0x5e || second == 0x9c || second == 0xda);
    return isZlib ? Compression::Zlib : Compression::None;
}

InflateReader::InflateReader(ByteSource source, Compression compression, std::string name,
                             InflateLimits limits)
    : m_state(std::make_unique<State>())
{
    m_state->source = std::move(source);
    m_state->compression = compression;
    m_state->name = std::move(name);
    m_state->limits = limits;
}

InflateReader::InflateReader(InflateReader&&) noexcept = default;
InflateReader& InflateReader::operator=(InflateReader&&) noexcept = default;
InflateReader::~InflateReader() = default;

Result<std::size_t> InflateReader::read(std::span<std::byte> bytes)
{
    return m_state->guard.run(m_state->name, [&] { return m_state->fill(bytes); });
}

Result<std::size_t> InflateReader::State::fill(std::span<std::byte> bytes)
{
    State& state = *this;
    if (state.compression != Compression::None && !state.isOpen) {
        if (inflateInit2(&state.stream, windowBits(state.compression)) != Z_OK) {
            return fail(ErrorCode::ResourceExhausted, kNoMemory, state.name);
        }
        state.isOpen = true;
    }
    std::size_t filled = 0;
    while (filled < bytes.size() && !state.atEnd) {
        CANNERY_TRY(goOnUnlessInterrupted());
        const auto rest = bytes.subspan(filled);
        CANNERY_TRY_ASSIGN(const std::size_t got, state.compression == Compression::None
                                                      ? state.source(rest)
                                                      : state.inflateInto(rest));
        state.atEnd = state.atEnd || got == 0;
        filled += got;
    }
    return filled;
}

Result<InflateReader> InflateReader::openGzipOrPlain(const std::string& path)
{
    return guardMemory(path, [&]() -> Result<InflateReader> {
        CANNERY_TRY_ASSIGN(ReadableFile opened, ReadableFile::open(path));
        auto file = std::make_shared<ReadableFile>(std::move(opened));
        return gzipOrPlain([file](std::span<std::byte> bytes) { return file->readNext(bytes); },
                           path);
    });
}

Result<InflateReader> InflateReader::gzipOrPlain(ByteSource source, const std::string& name)
{
    return guardMemory(name, [&]() -> Result<InflateReader> {
        std::vector<std::byte> start(2);
        std::size_t have = 0;
        for (std::size_t got = 1; got > 0 && have < start.size(); have += got) {
            CANNERY_TRY_ASSIGN(got, source(std::span(start).subspan(have)));
        }
        start.resize(have);
        const bool isGzip = sniffCompression(start) == Compression::Gzip;
        // The two bytes are returned again: a pipe cannot be rewound.
        auto again = [source = std::move(source), pending = std::move(start)](
                         std::span<std::byte> bytes) mutable -> Result<std::size_t> {
            if (pending.empty()) {
                return source(bytes);
            }
            const std::size_t count = std::min(pending.size(), bytes.size());
            std::copy_n(pending.begin(), count, bytes.begin());
            pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(count));
            return count;
        };
        return InflateReader(std::move(again), isGzip ? Compression::Gzip : Compression::None,
                             name);
    });
}

namespace {

class DeflateFile final : public WritableFile
{
public:
    DeflateFile(std::unique_ptr<WritableFile> file, Compression compression)
        : m_file(std::move(file)), m_packed(kChunk)
    {
        const int status = deflateInit2(&m_stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                                        windowBits(compression), kMemoryLevel, Z_DEFAULT_STRATEGY);
        CANNERY_CHECK(status == Z_OK);
    }
    DeflateFile(const DeflateFile&) = delete;
    DeflateFile& operator=(const DeflateFile&) = delete;
    ~DeflateFile() override { deflateEnd(&m_stream); }

    Result<void> append(std::span<const std::byte> bytes) override
    {
        m_size += bytes.size();
        while (!bytes.empty()) {
            const auto part = bytes.first(std::min(bytes.size(), kChunk));
            CANNERY_TRY(pump(part, Z_NO_FLUSH));
            bytes = bytes.subspan(part.size());
        }
        return {};
    }
    Result<void> flush() override
    {
        CANNERY_TRY(pump({}, Z_SYNC_FLUSH));
        return m_file->flush();
    }
    Result<void> sync() override
    {
        CANNERY_TRY(pump({}, Z_SYNC_FLUSH));
        return m_file->sync();
    }
    Result<void> close() override
    {
        if (!m_isClosed) {
            m_isClosed = true;
            CANNERY_TRY(pump({}, Z_FINISH));
        }
        return m_file->close();
    }
    /// Number of bytes before compression.
    std::uint64_t size() const override { return m_size; }

private:
    Result<void> pump(std::span<const std::byte> bytes, int how)
    {
        m_stream.next_in = zlibBytes(bytes);
        m_stream.avail_in = static_cast<uInt>(bytes.size());
        do {
            m_stream.next_out = zlibBytes(m_packed);
            m_stream.avail_out = static_cast<uInt>(m_packed.size());
            // It fails only on a stream that was never initialized.
            ::deflate(&m_stream, how);
            CANNERY_TRY(m_file->append(
                std::span<const std::byte>(m_packed).first(m_packed.size() - m_stream.avail_out)));
            // Room that is left over means that deflate has written all that it had.
        } while (m_stream.avail_out == 0);
        return {};
    }

    std::unique_ptr<WritableFile> m_file;
    std::vector<std::byte> m_packed;
    z_stream m_stream = {};
    std::uint64_t m_size = 0;
    bool m_isClosed = false;
};

} // namespace

Result<std::unique_ptr<WritableFile>> packInto(std::unique_ptr<WritableFile> file,
                                               Compression compression)
{
    if (compression == Compression::None) {
        return file;
    }
    return std::make_unique<DeflateFile>(std::move(file), compression);
}

} // namespace cannery::storage
