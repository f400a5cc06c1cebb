// SPDX-License-Identifier: Apache-2.0
#include "core/serving/output_dialect.h"

#include "core/data/sources/csv_source.h"
#include "storage/io/readable_file.h"

#include <span>

namespace cannery::serving {

namespace {

/// The beginning of a file: its byte order mark and the end of its first line, unless that is long.
Result<std::string> beginningOf(const std::string& file)
{
    constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
    CANNERY_TRY_ASSIGN(const storage::ReadableFile opened, storage::ReadableFile::open(file));
    std::string bytes(kMostBytes, '\0');
    CANNERY_TRY_ASSIGN(const std::size_t read,
                       opened.readAt(0, std::as_writable_bytes(std::span(bytes))));
    bytes.resize(read);
    return bytes;
}

std::string_view lineEndOf(std::string bytes)
{
    std::erase(bytes, '\0'); // of UTF-16
    const std::size_t end = bytes.find_first_of("\r\n");
    if (end == std::string::npos || bytes[end] == '\n') {
        return "\n";
    }
    return end + 1 < bytes.size() && bytes[end + 1] == '\n' ? "\r\n" : "\r";
}

} // namespace

Result<OutputDialect> dialectOf(const std::string& file,
                                const std::vector<data::SourceSetting>& settings)
{
    OutputDialect dialect;
    for (const data::SourceSetting& setting : settings) {
        if (setting.field == "field_delim") {
            dialect.delimiter = setting.value == "\\t" ? '\t' : setting.value.front();
        } else if (setting.field == "decimal_mark") {
            dialect.decimalMark = setting.value == "comma" ? ',' : '.';
        } else if (spec::TextEncoding::Name name{};
                   setting.field == "encoding" &&
                   spec::TextEncoding::Name_Parse(setting.value, &name)) {
            dialect.encoding = data::encodingOf(name);
        }
    }
    CANNERY_TRY_ASSIGN(const std::string begin, beginningOf(file));
    dialect.lineEnd = lineEndOf(begin);
    // The mark shows the order of bytes.
    dialect.isBigEndian = begin.starts_with("\xFE\xFF");
    dialect.hasByteOrderMark =
        dialect.isBigEndian || begin.starts_with("\xFF\xFE") || begin.starts_with("\xEF\xBB\xBF");
    return dialect;
}

} // namespace cannery::serving
