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

/// How a stream of bytes is packed.
enum class Compression
{
    None,
    Gzip, ///< RFC 1952, several members after one another too
    Zlib, ///< RFC 1950
};

/// What the first two bytes of a file look like; None when they are neither.
Compression sniffCompression(std::span<const std::byte> start);

/// What may come out of a packed stream: so many bytes whatever went in, and beyond them at most so
/// many for each byte that went in. Plain text packs to a tenth, a table of constants to a
/// hundredth, and only what was made to fill a memory or a disk to a thousandth.
struct InflateLimits
{
    std::uint64_t freeBytes = std::uint64_t{16} << 20U;
    std::uint64_t ratio = 200;
};

/// Fills the span from somewhere and says how many bytes it put there; 0 is the end.
using ByteSource = std::function<Result<std::size_t>(std::span<std::byte>)>;

/// The bytes behind a packed (or plain) stream, in order. Used by one thread.
class InflateReader
{
public:
    /// `name` stands in errors.
    InflateReader(ByteSource source, Compression compression, std::string name,
                  InflateLimits limits = {});
    InflateReader(InflateReader&&) noexcept;
    InflateReader& operator=(InflateReader&&) noexcept;
    ~InflateReader();

    /// Fills the span unless the stream ends before; the number of bytes. A stream that breaks off
    /// or is damaged is DataLoss; one that is beyond the limits, or no memory, ResourceExhausted.
    /// After an error, of memory too, nothing more is read: it is told again.
    Result<std::size_t> read(std::span<std::byte> bytes);

    /// A file, packed as its first bytes say (only gzip is recognised: plain text can look like
    /// zlib).
    static Result<InflateReader> openGzipOrPlain(const std::string& path);
    /// The same of bytes that come from somewhere else; `name` stands in errors.
    static Result<InflateReader> gzipOrPlain(ByteSource source, const std::string& name);

private:
    struct State;

    std::unique_ptr<State> m_state;
};

/// A file that is packed on its way out. flush() ends a block, so that everything so far can be
/// unpacked; close() ends the stream and must be called.
Result<std::unique_ptr<WritableFile>> packInto(std::unique_ptr<WritableFile> file,
                                               Compression compression);

} // namespace cannery::storage
