// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/inflate.h"
#include "storage/tabular/csv/csv_dialect.h"
#include "storage/tabular/text_decoder.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace cannery::storage {

/// Whether a text in a format of its own, such as HTML or JSON, is refused by its name.
enum class OtherTexts
{
    Refused,
    Read,
};

/// The text of a file: decompressed, in UTF-8 (or in Latin-1, which the parsers convert cell by
/// cell), with the byte order mark of UTF-8 if it has one. A mark of UTF-16 or UTF-8 at its
/// beginning decides the encoding, whatever `encoding` says; Latin-1 alone stays what it is. Used
/// by one thread.
class TextStream
{
public:
    /// `path` is used in errors.
    static Result<TextStream> open(ByteSource bytes, TextEncoding encoding, const std::string& path,
                                   OtherTexts others = OtherTexts::Refused);

    /// Fills the span (of at least 8 bytes at first) unless the text ends; returns the number of
    /// bytes. Errors: those of InflateReader, another format (other_formats.h), an
    /// encoding that the system cannot convert.
    Result<std::size_t> read(std::span<std::byte> bytes);

    /// The file's encoding, after the first read().
    TextEncoding encoding() const { return m_encoding; }

private:
    TextStream(InflateReader source, TextEncoding encoding, std::string path, OtherTexts others);
    Result<std::size_t> readStart(std::span<std::byte> bytes);

    InflateReader m_source;
    std::optional<TextDecoder> m_decoder;
    TextEncoding m_encoding;
    std::string m_path;
    OtherTexts m_others;
    bool m_atStart = true;
};

} // namespace cannery::storage
