// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// The character encoding of a text file.
enum class TextEncoding
{
    Utf8,
    Latin1,
    Windows1252,
    Utf16, ///< in the order of its byte order mark, or little-endian
    Cp949,
    Gb18030,
};

/// The syntax of a table. A byte order mark is always skipped, and LF, CRLF and CR all end a
/// record, in any dialect.
struct CsvDialect
{
    char delimiter = ',';
    char quote = '"'; ///< 0: quotes are ordinary characters
    bool hasHeader = true;
    TextEncoding encoding = TextEncoding::Utf8;
    bool decimalComma = false; ///< numbers are written 3,14

    bool operator==(const CsvDialect&) const = default;
};

/// What the user specified about the dialect; the rest is detected.
struct DialectHints
{
    std::optional<char> delimiter;
    std::optional<bool> hasHeader;
    bool useQuotes = true;
    TextEncoding encoding = TextEncoding::Utf8;
    bool decimalComma = false;
    std::string fileName; ///< .tsv and .tab suggest a tab
};

/// A dialect and the reason for it, for the user.
struct DialectGuess
{
    CsvDialect dialect;
    std::string delimiterReason;
    std::string headerReason;
    TextEncoding encoding = TextEncoding::Utf8; ///< of the first file: its own mark may decide
    std::string encodingReason;                 ///< empty: as the hints say
};

/// Guesses delimiter and header from the first bytes of a file. `isWhole`: the sample is the whole
/// file. Of comma, tab, semicolon and bar, chooses the one that splits most records into the
/// header's number of fields; a header is a first record of distinct texts that are not numbers.
DialectGuess detectDialect(std::string_view sample, bool isWhole, const DialectHints& hints);

/// "comma", "tab", "';'": for messages.
std::string delimiterName(char delimiter);

} // namespace cannery::storage
