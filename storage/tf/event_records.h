// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/readable_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// For the sources of storage/tf.
namespace cannery::storage::detail {

/// The checked records of an event file that may still grow. One thread.
class EventRecords
{
public:
    static Result<EventRecords> open(const std::string& path, std::uint64_t position,
                                     std::size_t readAhead);

    /// The payload at position(), valid until the next call; nothing when the file has no further
    /// whole record now. DataLoss with the offset when a checksum is wrong.
    Result<std::optional<std::string_view>> peek();
    /// Goes behind the record that peek() gave.
    void advance() { m_position += m_peeked; }
    /// Bytes of the file from position() on that are here already, checked by nobody.
    std::string_view buffered() const
    {
        return std::string_view(m_buffer.data(), m_filled).substr(m_position - m_bufferStart);
    }
    /// Goes behind whole records that were found and checked in them.
    void advance(std::size_t bytes) { m_position += bytes; }
    /// Says that the record at position() is `what`.
    tl::unexpected<Error> damaged(std::string_view what) const;

    std::uint64_t position() const { return m_position; }
    bool hasPartialRecord() const { return m_hasPartial; }
    /// Bytes that were really read from the file, by this object.
    std::uint64_t bytesRead() const { return m_bytesRead; }
    const std::string& path() const { return m_file.path(); }

private:
    EventRecords(ReadableFile file, std::uint64_t position, std::size_t readAhead);
    Result<bool> buffer(std::uint64_t count);

    ReadableFile m_file;
    std::uint64_t m_position;
    std::uint64_t m_bufferStart; ///< place of m_buffer in the file
    std::size_t m_readAhead;
    std::string m_buffer;       ///< never made smaller, so that it is not cleared again and again
    std::size_t m_filled = 0;   ///< bytes of it that are of the file
    std::uint64_t m_peeked = 0; ///< bytes of the record that peek() gave, with its frame
    std::uint64_t m_bytesRead = 0;
    bool m_hasPartial = false;
};

} // namespace cannery::storage::detail
