// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/inflate.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// Bytes of a file that are no record.
struct RecordDamage
{
    std::uint64_t record = 0; ///< number in its file, from 0, of the record that is lost
    std::uint64_t offset = 0; ///< in the decompressed file
    Error error;
};

/// Several whole records of one file. Reusable.
struct RecordBlock
{
    /// Bytes that may be read behind a payload.
    static constexpr std::size_t kPadding = 16;

    struct Frame
    {
        std::size_t begin = 0; ///< of the payload in the buffer
        std::size_t length = 0;
        std::uint64_t record = 0; ///< number in the file, from 0; damaged records count
    };

    std::vector<char> buffer;
    std::vector<Frame> frames;
    std::vector<RecordDamage> damages; ///< found between the frames, in order
    std::size_t file = 0;
    std::uint64_t offset = 0; ///< of the buffer in the decompressed file
    std::uint64_t end = 0;    ///< where the next block of the file begins

    std::string_view payload(const Frame& frame) const
    {
        return {buffer.data() + frame.begin, frame.length};
    }
    /// Where a record begins in the decompressed file.
    std::uint64_t place(const Frame& frame) const;
    /// Whether the payload has its checksum.
    bool isSound(const Frame& frame) const;
};

/// What is wrong with a record whose payload does not have its checksum.
RecordDamage contentDamage(const std::string& path, const RecordBlock& block,
                           const RecordBlock::Frame& frame);

/// Cuts one TFRecord file (plain, GZIP or ZLIB, as its first bytes say) into blocks of whole
/// records. Checksums of payloads are left to the caller, who can check them on several threads.
/// Behind bytes that are no record it goes on at the next length that has its checksum. One thread.
class RecordBlockReader
{
public:
    /// `bytes`: the file as it is on disk. Errors: those of the bytes.
    static Result<RecordBlockReader> open(ByteSource bytes, std::string path);

    /// Fills the block with about `blockBytes` bytes; false at the end of the file. A block has
    /// frames, damages or both. Errors: unreadable or wrongly compressed bytes.
    Result<bool> next(RecordBlock& block, std::size_t blockBytes);

    Compression compression() const { return m_compression; }
    /// Whether the file has no bytes at all.
    bool isEmpty() const { return m_isEmpty; }

private:
    RecordBlockReader(InflateReader bytes, Compression compression, std::string path);

    Result<std::size_t> fill(RecordBlock& block, std::size_t have, std::size_t wanted);
    void cutFrames(RecordBlock& block, std::size_t have);
    void addDamage(RecordBlock& block, std::size_t at, Error error);
    std::size_t resume(std::string_view text, std::size_t from) const;
    Error truncated(const RecordBlock& block, std::size_t at) const;

    InflateReader m_bytes;
    Compression m_compression;
    bool m_isEmpty = false;
    std::string m_path;
    std::string m_carry;        ///< the beginning of the next record
    std::uint64_t m_offset = 0; ///< of the carry in the decompressed file
    std::uint64_t m_record = 0; ///< number of the next record
    bool m_atEnd = false;
    bool m_isLost = false;    ///< the carry follows damage that is already reported
    std::size_t m_needed = 0; ///< bytes of the carried record, as far as known
};

} // namespace cannery::storage
