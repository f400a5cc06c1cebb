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

/// Maximum bytes of one record, checked once the checksum of its length is known to be valid.
inline constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{1} << 30U;

/// TFRecord files, plain or packed as a whole.
///
///   file   = record*
///   record = length (uint64), masked crc32c of the length, payload, masked crc32c of the payload
class RecordReader
{
public:
    /// Compressed as the first bytes say: gzip, zlib, or plain if the length checksum matches.
    static Result<RecordReader> open(const std::string& path);
    static Result<RecordReader> open(const std::string& path, Compression compression);
    RecordReader(RecordReader&&) noexcept;
    RecordReader& operator=(RecordReader&&) noexcept;
    ~RecordReader();

    /// The next payload, valid until the next call; nothing at the end of the file. DataLoss with
    /// file, record number and offset if the file is truncated or a checksum is wrong. After any
    /// error nothing more is read: the same error is returned again.
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
    /// Appends to a plain file.
    static Result<RecordWriter> append(const std::string& path,
                                       FileSystem& system = realFileSystem());

    Result<void> write(std::string_view payload);
    /// Everything written so far can be read by others afterwards.
    Result<void> flush() { return m_file->flush(); }
    Result<void> sync() { return m_file->sync(); }
    /// Must be called for compressed files; the destructor does not report errors.
    Result<void> close() { return m_file->close(); }
    /// Size of the (uncompressed) file after everything written so far.
    std::uint64_t position() const { return m_file->size(); }

private:
    explicit RecordWriter(std::unique_ptr<WritableFile> file) : m_file(std::move(file)) {}

    std::unique_ptr<WritableFile> m_file;
    std::string m_frame; ///< of the last record; kept for its memory
};

/// Whether these twelve bytes begin a record: a length with its checksum.
bool hasGoodLength(std::string_view header);

/// One record with its frame.
std::string frameRecord(std::string_view payload);

} // namespace cannery::storage
