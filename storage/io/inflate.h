// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace cannery::storage {

/// How a stream of bytes is compressed.
enum class Compression
{
    None,
    Gzip, ///< RFC 1952, also several concatenated members
    Zlib, ///< RFC 1950
};

/// The format suggested by the first two bytes of a file; None if unknown.
Compression sniffCompression(std::span<const std::byte> start);

/// Limits on the output of a compressed stream: a fixed number of bytes, plus at most this many per
/// input byte. Plain text compresses to a tenth, a table of constants to a hundredth, and only a
/// decompression bomb to a thousandth.
struct InflateLimits
{
    std::uint64_t freeBytes = std::uint64_t{16} << 20U;
    std::uint64_t ratio = 200;
};

/// Fills the span from some source and returns the number of bytes; 0 is the end.
using ByteSource = std::function<Result<std::size_t>(std::span<std::byte>)>;

/// The decompressed bytes of a compressed (or plain) stream, in order. Used by one thread.
class InflateReader
{
public:
    /// `name` is used in errors.
    InflateReader(ByteSource source, Compression compression, std::string name,
                  InflateLimits limits = {});
    InflateReader(InflateReader&&) noexcept;
    InflateReader& operator=(InflateReader&&) noexcept;
    ~InflateReader();

    /// Fills the span unless the stream ends first; returns the number of bytes. A truncated or
    /// damaged stream is DataLoss; one beyond the limits, or lack of memory, is ResourceExhausted.
    /// After any error nothing more is read: the same error is returned again.
    Result<std::size_t> read(std::span<std::byte> bytes);

    /// A file, decompressed as its first bytes say (only gzip is recognised: plain text can look
    /// like zlib).
    static Result<InflateReader> openGzipOrPlain(const std::string& path);
    /// The same for bytes from another source; `name` is used in errors.
    static Result<InflateReader> gzipOrPlain(ByteSource source, const std::string& name);

private:
    struct State;

    std::unique_ptr<State> m_state;
};

/// A file that is compressed while writing. flush() ends a block, so everything so far can be
/// decompressed; close() ends the stream and must be called.
Result<std::unique_ptr<WritableFile>> packInto(std::unique_ptr<WritableFile> file,
                                               Compression compression);

} // namespace cannery::storage
