// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/text_stream.h"

#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/other_formats.h"

#include <optional>
#include <utility>

namespace cannery::storage {

namespace {

constexpr std::string_view kLittleEndian = "\xFF\xFE";
constexpr std::string_view kBigEndian = "\xFE\xFF";

TextEncoding encodingOf(std::string_view start, TextEncoding encoding)
{
    // As Latin-1, any bytes are text: a mark would be three letters of it.
    if (encoding == TextEncoding::Latin1) {
        return encoding;
    }
    if (start.starts_with(kLittleEndian) || start.starts_with(kBigEndian)) {
        return TextEncoding::Utf16;
    }
    return start.starts_with(kByteOrderMark) ? TextEncoding::Utf8 : encoding;
}

} // namespace

TextStream::TextStream(InflateReader source, TextEncoding encoding, std::string path,
                       OtherTexts others)
    : m_source(std::move(source)), m_encoding(encoding), m_path(std::move(path)), m_others(others)
{}

Result<TextStream> TextStream::open(ByteSource bytes, TextEncoding encoding,
                                    const std::string& path, OtherTexts others)
{
    CANNERY_TRY_ASSIGN(InflateReader source, InflateReader::gzipOrPlain(std::move(bytes), path));
    return TextStream(std::move(source), encoding, path, others);
}

Result<std::size_t> TextStream::read(std::span<std::byte> bytes)
{
    if (m_atStart) {
        return readStart(bytes);
    }
    return m_decoder ? m_decoder->read(bytes) : m_source.read(bytes);
}

Result<std::size_t> TextStream::readStart(std::span<std::byte> bytes)
{
    CANNERY_TRY_ASSIGN(const std::size_t got, m_source.read(bytes));
    m_atStart = false;
    const std::string_view start(reinterpret_cast<const char*>(bytes.data()), got);
    // The first bytes tell formats apart before any of it is decoded as text.
    std::optional<Error> other = otherBinaryFormat(start, m_path);
    if (!other && m_others == OtherTexts::Refused) {
        other = otherTextFormat(start, m_path);
    }
    if (other) {
        return tl::make_unexpected(*std::move(other));
    }
    m_encoding = encodingOf(start, m_encoding);
    if (!isDecoded(m_encoding)) {
        return got;
    }
    CANNERY_TRY_ASSIGN(
        // The bytes already read are handed on, because a pipe cannot be rewound.
        m_decoder, TextDecoder::create(std::move(m_source), bytes.first(got), m_encoding, m_path));
    return m_decoder->read(bytes);
}

} // namespace cannery::storage
