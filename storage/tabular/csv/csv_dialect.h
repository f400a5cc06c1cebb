// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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
    Windows1250, ///< of Central Europe
    Windows1251, ///< Cyrillic
    Windows1253, ///< Greek
    Windows1254, ///< Turkish
    Windows1257, ///< of the Baltic states
};

/// The syntax of a table. A byte order mark is always skipped, and LF, CRLF and CR all end a
/// record, in any dialect.
struct CsvDialect
{
    char delimiter = ',';
    char quote = '"';           ///< 0: quotes are ordinary characters
    char escape = '\0';         ///< makes the character behind it ordinary; 0: none does
    bool skipsBlanks = false;   ///< blanks behind a delimiter are not part of a cell
    bool formulaQuotes = false; ///< ="00123" is 00123
    bool hasHeader = true;
    TextEncoding encoding = TextEncoding::Utf8;
    bool decimalComma = false; ///< numbers are written 3,14
    std::string comment;       ///< lines that begin with it are left out; empty if there is none
    std::string headerRecord;  ///< lines like it are not rows; if empty, any line may be one

    /// Cells are separated by any run of spaces and tabs; those at the ends of a line do not count.
    bool isBlankSeparated() const { return delimiter == ' '; }
    /// A byte means what it means wherever it is but between quotes.
    bool isPlain() const
    {
        return !isBlankSeparated() && comment.empty() && escape == 0 && !skipsBlanks &&
               !formulaQuotes;
    }

    bool operator==(const CsvDialect&) const = default;
};

/// What the user specified about the dialect; the rest is detected.
struct DialectHints
{
    std::optional<char> delimiter;
    std::optional<bool> hasHeader;
    std::optional<char> quote;  ///< 0: none
    std::optional<char> escape; ///< 0: none
    std::optional<bool> skipsBlanks;
    std::optional<bool> formulaQuotes;
    TextEncoding encoding = TextEncoding::Utf8;
    bool decimalComma = false;
    std::string comment;
    std::optional<std::uint64_t> skipRows; ///< lines above the header; unset: detected
    std::vector<std::string> columnNames;  ///< given; then a header is a line like them
    std::string fileName;                  ///< .tsv and .tab suggest a tab
};

/// Where the table is in a file, and what its header says.
struct CsvLayout
{
    std::size_t rowsBegin = 0; ///< offset of the first row in the text
    std::size_t columns = 0;   ///< cells of a row; 0: there is no record
    bool hasHeader = true;
    std::string headerReason;
    std::uint64_t headerLine = 1;     ///< physical, from 1; without a header that of the first row
    std::vector<std::string> names;   ///< of the header, as many as columns; empty without one
    std::string headerRecord;         ///< its line, if a line like it cannot be a row
    bool hasRowNames = false;         ///< the first column, which has no name, names the rows
    std::vector<std::string> remarks; ///< "lines 1 and 2 are above the table: …", without the file
};

/// A dialect and the reason for it, for the user.
struct DialectGuess
{
    CsvDialect dialect;
    std::string delimiterReason;
    std::string quoteReason; ///< why quotes are read in an unusual way; empty if they are not
    CsvLayout layout;
    TextEncoding encoding = TextEncoding::Utf8; ///< of the first file: its own mark may decide
    std::string encodingReason;                 ///< as the hints say if empty
};

/// Guesses delimiter, header and where the rows begin from the first bytes of a file. `isWhole`:
/// the sample is the whole file. Of comma, tab, semicolon and bar, chooses the one that splits most
/// records into the same number of fields; if none does, runs of blanks, if they separate numbers.
/// A line "sep=;" names the delimiter. Quotes that are single, escaped, behind blanks or in
/// formulas are found by what would be wrong, or not quoted, otherwise.
DialectGuess detectDialect(std::string_view sample, bool isWhole, const DialectHints& hints);

/// "comma", "tab", "';'": for messages.
std::string delimiterName(char delimiter);

} // namespace cannery::storage
