// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/event_records.h"

#include "storage/io/coding.h"
#include "storage/io/crc32c.h"
#include "storage/tf/message_limits.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace cannery::storage::detail {

namespace {

// As in every TFRecord: eight bytes of length and their CRC, and a CRC behind the content.
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kTrailerBytes = 4;

constexpr ErrorKind kEventsDamaged{
    "events.damaged",
    "The event file {} is damaged at byte {}: {}. Everything before it is intact."};

} // namespace

EventRecords::EventRecords(ReadableFile file, std::uint64_t position, std::size_t readAhead)
    : m_file(std::move(file)), m_position(position), m_bufferStart(position), m_readAhead(readAhead)
{}

Result<EventRecords> EventRecords::open(const std::string& path, std::uint64_t position,
                                        std::size_t readAhead)
{
    CANNERY_TRY_ASSIGN(ReadableFile file, ReadableFile::open(path));
    return EventRecords(std::move(file), position, readAhead);
}

tl::unexpected<Error> EventRecords::damaged(std::string_view what) const
{
    return fail(ErrorCode::DataLoss, kEventsDamaged, path(), m_position, what);
}

/// Ensures that `count` bytes from the position are in the buffer; false if the file has fewer now.
Result<bool> EventRecords::buffer(std::uint64_t count)
{
    if (buffered().size() >= count) {
        return true;
    }
    const std::size_t filled = buffered().size();
    // What remains moves to the front, so that the buffer does not grow with the file.
    std::memmove(m_buffer.data(), m_buffer.data() + (m_position - m_bufferStart), filled);
    m_filled = filled;
    m_bufferStart = m_position;
    // Read each time, as the file grows meanwhile.
    CANNERY_TRY_ASSIGN(const std::uint64_t size, m_file.size());
    if (size < m_position || count > size - m_position) {
        return false;
    }
    const std::uint64_t wanted = std::max<std::uint64_t>(count, m_readAhead);
    const std::size_t whole = std::max<std::uint64_t>(std::min(wanted, size - m_position), filled);
    m_buffer.resize(std::max(m_buffer.size(), whole));
    const auto rest = std::as_writable_bytes(std::span(m_buffer)).subspan(filled, whole - filled);
    CANNERY_TRY_ASSIGN(const std::size_t got, m_file.readAt(m_bufferStart + filled, rest));
    m_bytesRead += got;
    m_filled += got;
    return m_filled >= count;
}

Result<std::optional<std::string_view>> EventRecords::peek()
{
    CANNERY_TRY_ASSIGN(const bool hasHeader, buffer(kHeaderBytes));
    if (!hasHeader) {
        // A few bytes of a header: the writer is in the middle of it, or was killed.
        CANNERY_TRY_ASSIGN(m_hasPartial, buffer(1));
        return std::optional<std::string_view>();
    }
    std::string_view header = buffered();
    const std::uint32_t lengthCrc = maskCrc(crc32c(header.substr(0, sizeof(std::uint64_t))));
    const std::uint64_t length = *getFixed<std::uint64_t>(header);
    if (getFixed<std::uint32_t>(header) != lengthCrc) {
        return damaged("the checksum of a length is wrong");
    }
    // Before memory is reserved for it: a damaged length with a right checksum may be anything.
    if (length > kMaxMessageBytes) {
        return damaged(fmt::format("an event has {} bytes, more than the {} that are read at most",
                                   length, kMaxMessageBytes));
    }
    const std::uint64_t whole = kHeaderBytes + length + kTrailerBytes;
    CANNERY_TRY_ASSIGN(const bool hasAll, buffer(whole));
    // Not damage as long as the file can grow.
    m_hasPartial = !hasAll;
    if (!hasAll) {
        return std::optional<std::string_view>();
    }
    const std::string_view payload = buffered().substr(kHeaderBytes, length);
    std::string_view trailer(payload.data() + length, kTrailerBytes);
    if (getFixed<std::uint32_t>(trailer) != maskCrc(crc32c(payload))) {
        return damaged("the checksum of an event is wrong");
    }
    m_peeked = whole;
    return std::optional(payload);
}

} // namespace cannery::storage::detail
