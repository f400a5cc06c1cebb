// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/text_stream.h"

#include "storage/tabular/csv_errors.h"
#include "storage/tabular/csv_scanner.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace cannery::storage {

namespace {

constexpr std::string_view kZip = "PK\x03\x04";
/// Of the older binary formats of office programs.
constexpr std::string_view kCompoundFile = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
struct BinaryTable
{
    std::string_view start;
    std::string_view name;
    std::string_view function; ///< of pandas, that reads it
};
constexpr std::array kBinaryTables{
    BinaryTable{"PAR1", "a Parquet file", "read_parquet"},
    BinaryTable{"ARROW1", "an Arrow or Feather file", "read_feather"},
    BinaryTable{"FEA1", "a Feather file", "read_feather"},
    BinaryTable{"ORC", "an ORC file", "read_orc"},
    BinaryTable{"\x89HDF\r\n", "an HDF5 file", "read_hdf"},
};
constexpr std::string_view kLittleEndian = "\xFF\xFE";
constexpr std::string_view kBigEndian = "\xFE\xFF";

bool isNamedAsSpreadsheet(std::string path)
{
    std::transform(path.begin(), path.end(), path.begin(),
                   [](unsigned char letter) { return std::tolower(letter); });
    return path.ends_with(".xlsx") || path.ends_with(".xlsm") || path.ends_with(".xlsb") ||
           path.ends_with(".ods");
}

Result<void> checkIsText(std::string_view start, const std::string& path)
{
    const bool isZip = start.starts_with(kZip);
    const bool isWorkbook =
        isZip && (isNamedAsSpreadsheet(path) || start.find("xl/") != std::string_view::npos);
    if (isWorkbook || start.starts_with(kCompoundFile)) {
        return fail(ErrorCode::InvalidArgument, kSpreadsheet, path);
    }
    for (const BinaryTable& table : kBinaryTables) {
        // The marks are words that may begin a text as well.
        if (start.starts_with(table.start) && start.find('\0') != std::string_view::npos) {
            return fail(ErrorCode::InvalidArgument, kBinaryTable, path, table.name, table.function);
        }
    }
    if (isZip) {
        return fail(ErrorCode::InvalidArgument, kZipArchive, path);
    }
    return {};
}

TextEncoding encodingOf(std::string_view start, TextEncoding encoding)
{
    if (encoding == TextEncoding::Latin1) {
        return encoding;
    }
    if (start.starts_with(kLittleEndian) || start.starts_with(kBigEndian)) {
        return TextEncoding::Utf16;
    }
    return start.starts_with(kByteOrderMark) ? TextEncoding::Utf8 : encoding;
}

} // namespace

TextStream::TextStream(InflateReader source, TextEncoding encoding, std::string path)
    : m_source(std::move(source)), m_encoding(encoding), m_path(std::move(path))
{}

Result<TextStream> TextStream::open(ByteSource bytes, TextEncoding encoding,
                                    const std::string& path)
{
    CANNERY_TRY_ASSIGN(InflateReader source, InflateReader::gzipOrPlain(std::move(bytes), path));
    return TextStream(std::move(source), encoding, path);
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
    CANNERY_TRY(checkIsText(start, m_path));
    m_encoding = encodingOf(start, m_encoding);
    if (!isDecoded(m_encoding)) {
        return got;
    }
    CANNERY_TRY_ASSIGN(
        m_decoder, TextDecoder::create(std::move(m_source), bytes.first(got), m_encoding, m_path));
    return m_decoder->read(bytes);
}

} // namespace cannery::storage
