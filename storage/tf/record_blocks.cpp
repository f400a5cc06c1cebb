// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/record_blocks.h"

#include "storage/io/coding.h"
#include "storage/io/crc32c_short.h"
#include "storage/tf/record_errors.h"
#include "storage/tf/record_file.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace cannery::storage {

namespace {

/// A length is trusted this much at a time, in case the file does not have the bytes.
constexpr std::size_t kTrustedBytes = std::size_t{1} << 20U;
constexpr std::size_t kInlineChecksum = 512;

std::uint32_t checksumOf(std::string_view bytes)
{
    return maskCrc(bytes.size() < kInlineChecksum ? detail::crc32cShort(bytes) : crc32c(bytes));
}

bool beginsRecord(const char* header)
{
    std::uint32_t stored = 0;
    std::memcpy(&stored, header + sizeof(std::uint64_t), sizeof(stored));
    return stored == maskCrc(detail::crc32cShort({header, sizeof(std::uint64_t)}));
}

std::uint64_t lengthAt(const char* header)
{
    std::uint64_t length = 0;
    std::memcpy(&length, header, sizeof(length));
    return length;
}

/// Bytes of the record with its frame.
std::size_t frameBytes(std::uint64_t length)
{
    return static_cast<std::size_t>(length) + kRecordHeaderBytes + kRecordTrailerBytes;
}

/// A source that gives these bytes before those of another.
ByteSource behind(std::string start, ByteSource rest)
{
    auto left = std::make_shared<std::string>(std::move(start));
    return [left, rest = std::move(rest)](std::span<std::byte> bytes) -> Result<std::size_t> {
        if (left->empty()) {
            return rest(bytes);
        }
        const std::size_t count = std::min(bytes.size(), left->size());
        std::memcpy(bytes.data(), left->data(), count);
        left->erase(0, count);
        return count;
    };
}

} // namespace

std::uint64_t RecordBlock::place(const Frame& frame) const
{
    return offset + frame.begin - kRecordHeaderBytes;
}

bool RecordBlock::isSound(const Frame& frame) const
{
    std::uint32_t stored = 0;
    std::memcpy(&stored, buffer.data() + frame.begin + frame.length, sizeof(stored));
    return stored == checksumOf(payload(frame));
}

RecordDamage contentDamage(const std::string& path, const RecordBlock& block,
                           const RecordBlock::Frame& frame)
{
    return {frame.record, block.place(frame),
            error(ErrorCode::DataLoss, kFrameDamaged, path, frame.record + 1, block.place(frame),
                  "content")};
}

RecordBlockReader::RecordBlockReader(InflateReader bytes, Compression compression, std::string path)
    : m_bytes(std::move(bytes)), m_compression(compression), m_path(std::move(path))
{}

Result<RecordBlockReader> RecordBlockReader::open(ByteSource bytes, std::string path)
{
    std::string start(kRecordHeaderBytes, '\0');
    std::size_t have = 0;
    while (have < start.size()) {
        CANNERY_TRY_ASSIGN(const std::size_t got,
                           bytes(std::as_writable_bytes(std::span(start)).subspan(have)));
        if (got == 0) {
            break;
        }
        have += got;
    }
    start.resize(have);
    // The checksum first: the length of a record may begin with the same bytes as a compressed
    // file.
    const bool isPlain = have == kRecordHeaderBytes && beginsRecord(start.data());
    const Compression compression =
        isPlain ? Compression::None : sniffCompression(std::as_bytes(std::span(start)));
    InflateReader inflated(behind(std::move(start), std::move(bytes)), compression, path);
    RecordBlockReader reader(std::move(inflated), compression, std::move(path));
    reader.m_isEmpty = have == 0;
    return reader;
}

Result<bool> RecordBlockReader::next(RecordBlock& block, std::size_t blockBytes)
{
    block.frames.clear();
    block.damages.clear();
    block.offset = m_offset;
    std::size_t have = m_carry.size();
    std::size_t wanted = std::max({blockBytes, have + 1, kRecordHeaderBytes});
    while (true) {
        const std::size_t room = wanted + RecordBlock::kPadding;
        if (block.buffer.size() < room) {
            block.buffer.resize(room);
        }
        std::copy(m_carry.begin(), m_carry.end(), block.buffer.begin());
        m_carry.clear();
        CANNERY_TRY_ASSIGN(have, fill(block, have, wanted));
        if (have == 0) {
            return false;
        }
        cutFrames(block, have);
        if (!block.frames.empty() || !block.damages.empty()) {
            return true;
        }
        if (m_atEnd && m_carry.empty()) {
            return false;
        }
        have = m_carry.size();
        wanted =
            std::max({blockBytes, have + 1, std::min(m_needed, have + kTrustedBytes + have / 2)});
    }
}

/// Reads until the buffer has the wanted bytes or the file ends; returns how many there are.
Result<std::size_t> RecordBlockReader::fill(RecordBlock& block, std::size_t have,
                                            std::size_t wanted)
{
    if (!m_atEnd && have < wanted) {
        const std::span<char> room(block.buffer.data() + have, wanted - have);
        CANNERY_TRY_ASSIGN(const std::size_t got, m_bytes.read(std::as_writable_bytes(room)));
        m_atEnd = got < room.size();
        have += got;
    }
    std::memset(block.buffer.data() + have, 0, RecordBlock::kPadding);
    return have;
}

void RecordBlockReader::addDamage(RecordBlock& block, std::size_t at, Error error)
{
    if (!std::exchange(m_isLost, true)) {
        block.damages.push_back({m_record++, block.offset + at, std::move(error)});
    }
}

Error RecordBlockReader::truncated(const RecordBlock& block, std::size_t at) const
{
    return error(ErrorCode::DataLoss, kFrameBreaksOff, m_path, m_record + 1, block.offset + at);
}

/// The next place that begins a record, or the first that could if more bytes followed.
std::size_t RecordBlockReader::resume(std::string_view text, std::size_t from) const
{
    for (; from + kRecordHeaderBytes <= text.size(); ++from) {
        if (beginsRecord(text.data() + from) && lengthAt(text.data() + from) <= kMaxRecordBytes) {
            return from;
        }
    }
    return m_atEnd ? text.size() : std::min(from, text.size());
}

/// Finds the records among the first `have` bytes and carries the rest over.
void RecordBlockReader::cutFrames(RecordBlock& block, std::size_t have)
{
    const std::string_view text(block.buffer.data(), have);
    std::size_t at = m_isLost ? resume(text, 0) : 0;
    m_needed = kRecordHeaderBytes;
    while (at < have) {
        if (have - at < kRecordHeaderBytes) {
            if (m_atEnd) {
                addDamage(block, at, truncated(block, at));
                at = have;
            }
            break;
        }
        const char* header = text.data() + at;
        const std::uint64_t length = lengthAt(header);
        if (!beginsRecord(header) || length > kMaxRecordBytes) {
            addDamage(block, at,
                      beginsRecord(header)
                          ? error(ErrorCode::ResourceExhausted, kFrameTooLong, m_record + 1, m_path,
                                  block.offset + at, length, kMaxRecordBytes)
                          : error(ErrorCode::DataLoss, kFrameDamaged, m_path, m_record + 1,
                                  block.offset + at, "length"));
            at = resume(text, at + 1);
            continue;
        }
        m_isLost = false;
        if (frameBytes(length) > have - at) {
            m_needed = frameBytes(length);
            if (m_atEnd) {
                addDamage(block, at, truncated(block, at));
                at = resume(text, at + 1);
                continue;
            }
            break;
        }
        block.frames.push_back(
            {at + kRecordHeaderBytes, static_cast<std::size_t>(length), m_record++});
        at += frameBytes(length);
    }
    m_carry.assign(text.substr(at));
    m_offset = block.offset + at;
    block.end = m_offset;
}

} // namespace cannery::storage
