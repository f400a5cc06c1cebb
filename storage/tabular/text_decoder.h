// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/inflate.h"
#include "storage/tabular/csv/csv_dialect.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cannery::storage {

/// "UTF-16", "CP949": for messages.
std::string encodingName(TextEncoding encoding);

/// The name by which iconv knows it.
const char* converterName(TextEncoding encoding, bool isBigEndian);

/// Whether files in this encoding are converted to UTF-8 while they are read.
bool isDecoded(TextEncoding encoding);

/// Converts a stream of bytes to UTF-8 with the C library's iconv, in blocks: memory is bounded,
/// and a character may be split between blocks. Bytes that are no text in the encoding become a
/// mark that is no UTF-8 and that describeFault() reads, so that the rest of the text survives.
/// Used by one thread.
class TextDecoder
{
public:
    /// `start`: the bytes that have already been taken from the source. UTF-16 is in the byte order
    /// of its mark, which is removed, or little-endian. Errors: the system lacks the converter.
    static Result<TextDecoder> create(InflateReader source, std::span<const std::byte> start,
                                      TextEncoding encoding, const std::string& path);
    TextDecoder(TextDecoder&&) noexcept;
    TextDecoder& operator=(TextDecoder&&) noexcept;
    ~TextDecoder();

    /// Fills the span unless the text ends first; returns the number of bytes.
    Result<std::size_t> read(std::span<std::byte> bytes);

private:
    class Impl;
    explicit TextDecoder(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// What is wrong where a text is not UTF-8, if it begins with a mark of a TextDecoder there: "CP949
/// (byte 0x81 at offset 27)", with the offset in the decompressed file.
std::optional<std::string> describeFault(std::string_view mark);

/// The text with U+FFFD for each mark, or run of marks: for display.
std::string withoutMarks(std::string_view text);

} // namespace cannery::storage
