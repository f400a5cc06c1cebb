// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"
#include "storage/io/inflate.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cannery::storage {

/// Bytes of one record, checked once the checksum of its length is known to be right.
inline constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{1} << 30U;

/// TFRecord files, plain or packed as a whole.
///
///   file   = record*
///   record = length (uint64), masked crc32c of the length, payload, masked crc32c of the payload
class RecordReader
{
public:
    /// Packed as the first bytes say: gzip, zlib, or plain when the length checksum fits.
    static Result<RecordReader> open(const std::string& path);
    static Result<RecordReader> open(const std::string& path, Compression compression);
    RecordReader(RecordReader&&) noexcept;
    RecordReader& operator=(RecordReader&&) noexcept;
    ~RecordReader();

    /// The next payload, valid until the next call; nothing at the end of the file. DataLoss with
    /// file, record number and offset when the file breaks off or a checksum is wrong. After an
    /// error, of memory too, nothing more is read: it is told again.
    Result<std::optional<std::string_view>> next();
    /// Records read so far.
    std::uint64_t recordCount() const;

private:
    struct State;
    explicit RecordReader(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;
};

class RecordWriter
{
public:
    static Result<RecordWriter> create(const std::string& path,
                                       Compression compression = Compression::None,
                                       FileSystem& system = realFileSystem());
    /// Goes on at the end of a plain file.
    static Result<RecordWriter> append(const std::string& path,
                                       FileSystem& system = realFileSystem());

    Result<void> write(std::string_view payload);
    /// Everything written so far can be read by others after this.
    Result<void> flush() { return m_file->flush(); }
    Result<void> sync() { return m_file->sync(); }
    /// Must be called on packed files; the destructor says nothing of errors.
    Result<void> close() { return m_file->close(); }
    /// Bytes of the (unpacked) file after everything written so far.
    std::uint64_t position() const { return m_file->size(); }

private:
    explicit RecordWriter(std::unique_ptr<WritableFile> file) : m_file(std::move(file)) {}

    std::unique_ptr<WritableFile> m_file;
    std::string m_frame; ///< of the last record; kept for its memory
};

/// One record with its frame.
std::string frameRecord(std::string_view payload);

} // namespace cannery::storage
