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

    /// The payload at position(), valid until the next call; nothing if the file currently has no
    /// further complete record. DataLoss with the offset if a checksum is wrong.
    Result<std::optional<std::string_view>> peek();
    /// Skips the record returned by peek().
    void advance() { m_position += m_peeked; }
    /// The buffered bytes of the file from position() on, unchecked.
    std::string_view buffered() const
    {
        return std::string_view(m_buffer.data(), m_filled).substr(m_position - m_bufferStart);
    }
    /// Skips whole records that were found and checked in them.
    void advance(std::size_t bytes) { m_position += bytes; }
    /// Returns the error that the record at position() is `what`.
    tl::unexpected<Error> damaged(std::string_view what) const;

    std::uint64_t position() const { return m_position; }
    bool hasPartialRecord() const { return m_hasPartial; }
    /// Bytes actually read from the file by this object.
    std::uint64_t bytesRead() const { return m_bytesRead; }
    const std::string& path() const { return m_file.path(); }

private:
    EventRecords(ReadableFile file, std::uint64_t position, std::size_t readAhead);
    Result<bool> buffer(std::uint64_t count);

    ReadableFile m_file;
    std::uint64_t m_position;
    std::uint64_t m_bufferStart; ///< offset of m_buffer in the file
    std::size_t m_readAhead;
    std::string m_buffer;       ///< never shrunk, to avoid clearing it repeatedly
    std::size_t m_filled = 0;   ///< number of its bytes that come from the file
    std::uint64_t m_peeked = 0; ///< size of the record returned by peek(), with its frame
    std::uint64_t m_bytesRead = 0;
    bool m_hasPartial = false;
};

} // namespace cannery::storage::detail
