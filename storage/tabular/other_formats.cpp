// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/other_formats.h"

#include "core/base/folded_case.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/text_bytes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace cannery::storage {

namespace {

constexpr ErrorKind kSpreadsheet{
    "csv.spreadsheet",
    "{0} is a spreadsheet, not a text file. Save it as CSV UTF-8 in the spreadsheet program, or "
    "convert it with Python, import pandas; pandas.read_excel(\"{0}\").to_csv(\"{0}.csv\", "
    "index=False), and name that file instead."};
constexpr ErrorKind kZipArchive{"csv.zip_archive",
                                "{} is a zip archive from which no table can be read. Unpack it, "
                                "and name the files in it instead."};
constexpr ErrorKind kBinaryTable{"csv.binary_table", "{} is {}, which is not read. {}"};
constexpr ErrorKind kOtherText{"csv.other_text", "{} is {}, not CSV. {}"};

constexpr std::string_view kZip = "PK\x03\x04";
/// Of the older binary formats of office programs.
constexpr std::string_view kCompoundFile = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

constexpr std::string_view kWithPandas = "by a function of pandas";
constexpr std::string_view kUnpacked = "Unpack it with: {1} \"{0}\", and name the file that this "
                                       "makes.";
constexpr std::string_view kWithR = "Convert it with R, {1}, and name that file instead.";
constexpr std::string_view kWithProgram = "Convert it with: {1}, and name that file instead.";
constexpr std::string_view kNoTable = "{1}";

/// How a file is turned into one that is read.
struct OtherFormat
{
    std::string_view mark;
    std::size_t at = 0;
    std::string_view name;
    std::string_view cure; ///< kWithPandas, or a sentence about {0}, the file, and {1}, `how`
    std::string_view how;  ///< {0}: the file
    bool isBinary = true;  ///< a NUL follows: the mark is a word that may begin a text as well
};

constexpr std::string_view kSaveAsText =
    "Save the table that it shows as CSV, and name that file instead.";

using namespace std::string_view_literals;

constexpr std::array kBinaryFormats{
    OtherFormat{"PAR1", 0, "a Parquet file", kWithPandas, "read_parquet"},
    OtherFormat{"ARROW1", 0, "an Arrow or Feather file", kWithPandas, "read_feather"},
    OtherFormat{"FEA1", 0, "a Feather file", kWithPandas, "read_feather"},
    OtherFormat{"ORC", 0, "an ORC file", kWithPandas, "read_orc"},
    OtherFormat{"\x89HDF\r\n", 0, "an HDF5 file", kWithPandas, "read_hdf"},
    OtherFormat{"$FL2", 0, "an SPSS file", kWithPandas, "read_spss"},
    OtherFormat{"$FL3", 0, "an SPSS file", kWithPandas, "read_spss"},
    OtherFormat{"<stata_dta>", 0, "a Stata file", kWithPandas, "read_stata", false},
    OtherFormat{"\x73\x01\x01\x00"sv, 0, "a Stata file", kWithPandas, "read_stata"},
    OtherFormat{"\x73\x02\x01\x00"sv, 0, "a Stata file", kWithPandas, "read_stata"},
    OtherFormat{"\x72\x01\x01\x00"sv, 0, "a Stata file", kWithPandas, "read_stata"},
    OtherFormat{"\x72\x02\x01\x00"sv, 0, "a Stata file", kWithPandas, "read_stata"},
    OtherFormat{"\x71\x01\x01\x00"sv, 0, "a Stata file", kWithPandas, "read_stata"},
    OtherFormat{"\x71\x02\x01\x00"sv, 0, "a Stata file", kWithPandas, "read_stata"},
    OtherFormat{"\xC2\xEA\x81\x60\xB3\x14\x11\xCF", 12, "a SAS file", kWithPandas, "read_sas"},
    OtherFormat{"HEADER RECORD*******LIBRARY HEADER RECORD", 0, "a SAS transport file", kWithPandas,
                "read_sas", false},
    OtherFormat{
        "Obj\x01", 0, "an Avro file", kWithProgram,
        "python3 -c 'import fastavro, pandas; pandas.DataFrame(fastavro.reader(open(\"{0}\", "
        "\"rb\"))).to_csv(\"{0}.csv\", index=False)'",
        false},
    OtherFormat{"\x80\x02", 0, "a Python pickle", kWithPandas, "read_pickle", false},
    OtherFormat{"\x80\x03", 0, "a Python pickle", kWithPandas, "read_pickle", false},
    OtherFormat{"\x80\x04", 0, "a Python pickle", kWithPandas, "read_pickle", false},
    OtherFormat{"\x80\x05", 0, "a Python pickle", kWithPandas, "read_pickle", false},
    OtherFormat{"\x93NUMPY", 0, "one NumPy array", kWithProgram,
                "python3 -c 'import numpy; numpy.savez(\"{0}.npz\", x=numpy.load(\"{0}\"))'",
                false},
    OtherFormat{"X\n\0\0\0"sv, 0, "an R data file (RDS)", kWithR,
                "write.csv(readRDS(\"{0}\"), \"{0}.csv\", row.names = FALSE)"},
    OtherFormat{"RDX2\n", 0, "an R data file", kWithR,
                "write.csv(get(load(\"{0}\")[1]), \"{0}.csv\", row.names = FALSE)", false},
    OtherFormat{"RDX3\n", 0, "an R data file", kWithR,
                "write.csv(get(load(\"{0}\")[1]), \"{0}.csv\", row.names = FALSE)", false},
    OtherFormat{"MATLAB 5.0 MAT-file", 0, "a MATLAB file", kWithProgram,
                "python3 -c 'import scipy.io, numpy; numpy.savez(\"{0}.npz\", **{{k: v for k, v in "
                "scipy.io.loadmat(\"{0}\").items() if k[0] != \"_\"}})'",
                false},
    OtherFormat{"DUCK", 8, "a DuckDB database", kWithProgram,
                "duckdb \"{0}\" -c \"COPY my_table TO 'my_table.csv'\""},
    OtherFormat{"\0\1\0\0Standard Jet DB"sv, 0, "an Access database", kWithProgram,
                "mdb-export \"{0}\" MyTable > MyTable.csv"},
    OtherFormat{"\0\1\0\0Standard ACE DB"sv, 0, "an Access database", kWithProgram,
                "mdb-export \"{0}\" MyTable > MyTable.csv"},
    OtherFormat{"1AY&SY", 4, "compressed with bzip2", kUnpacked, "bunzip2 -k", false},
    OtherFormat{"\xFD"
                "7zXZ\0"sv,
                0, "compressed with xz", kUnpacked, "unxz -k"},
    OtherFormat{"\x5D\0\0"sv, 0, "compressed with lzma", kUnpacked, "unlzma -k"},
    OtherFormat{"\x28\xB5\x2F\xFD", 0, "compressed with zstd", kUnpacked, "unzstd", false},
    OtherFormat{"\x04\x22\x4D\x18", 0, "compressed with lz4", kUnpacked, "unlz4", false},
    OtherFormat{"\x1F\x9D", 0, "compressed with compress", kUnpacked, "uncompress -k", false},
    OtherFormat{"7z\xBC\xAF\x27\x1C", 0, "a 7-Zip archive", kUnpacked, "7z x", false},
    OtherFormat{"Rar!\x1A\x07", 0, "a RAR archive", kUnpacked, "unrar x", false},
    OtherFormat{"ustar", 257, "a tar archive", kUnpacked, "tar xf"},
    OtherFormat{"%PDF-", 0, "a PDF document", kNoTable, kSaveAsText, false},
    OtherFormat{"\x89PNG\r\n", 0, "an image", kNoTable, kSaveAsText, false},
    OtherFormat{"\xFF\xD8\xFF", 0, "an image", kNoTable, kSaveAsText, false},
    OtherFormat{"GIF8", 0, "an image", kNoTable, kSaveAsText},
};

/// Compared without case, behind blanks.
constexpr std::array kTextFormats{
    OtherFormat{"<!doctype html", 0, "an HTML page", kWithPandas, "read_html"},
    OtherFormat{"<html", 0, "an HTML page", kWithPandas, "read_html"},
    OtherFormat{"<head>", 0, "an HTML page", kWithPandas, "read_html"},
    OtherFormat{"<table", 0, "an HTML table", kWithPandas, "read_html"},
    OtherFormat{"<?xml", 0, "an XML file", kWithPandas, "read_xml"},
    OtherFormat{"@relation", 0, "an ARFF file",
                "Name it in arff {{ files: \"{0}\" }} of an experiment, "
                "or let cannery new read it.",
                ""},
    OtherFormat{"{\\rtf", 0, "a text of a word processor (RTF)", kNoTable, kSaveAsText},
    OtherFormat{
        "-- mysql dump", 0, "a dump of a MySQL database", kNoTable,
        "Export the table as CSV with the database's own program, and name that file instead."},
    OtherFormat{
        "-- postgresql database dump", 0, "a dump of a PostgreSQL database", kNoTable,
        "Export the table as CSV with the database's own program, and name that file instead."},
    OtherFormat{"pragma foreign_keys", 0, "a dump of a SQLite database", kWithProgram,
                "sqlite3 \"{0}.db\" < \"{0}\""},
    OtherFormat{"begin transaction;", 0, "a dump of a SQLite database", kWithProgram,
                "sqlite3 \"{0}.db\" < \"{0}\""},
    OtherFormat{"create table ", 0, "a file of SQL statements", kWithProgram,
                "sqlite3 \"{0}.db\" < \"{0}\""},
    OtherFormat{"insert into ", 0, "a file of SQL statements", kWithProgram,
                "sqlite3 \"{0}.db\" < \"{0}\""},
};

/// In a source of CSV files; for a table of objects there is another kind.
constexpr OtherFormat kJson{
    "", 0, "JSON",
    "If each of its rows is an object, name it in json_lines {{ files: \"{0}\" }} of an "
    "experiment; "
    "otherwise convert it with Python, import pandas; "
    "pandas.read_json(\"{0}\").to_csv(\"{0}.csv\", index=False), and name that file instead.",
    ""};

bool isNamedAsSpreadsheet(const std::string& path)
{
    const std::string lower = foldedCase(path);
    return lower.ends_with(".xlsx") || lower.ends_with(".xlsm") || lower.ends_with(".xlsb") ||
           lower.ends_with(".ods");
}

/// A page may have several tables: pandas gives a list of them.
std::string_view indexedFunction(std::string_view function)
{
    return function == "read_html" ? "[0]" : "";
}

Error refusal(const ErrorKind& kind, const OtherFormat& format, const std::string& path)
{
    std::string cure;
    if (format.cure == kWithPandas) {
        const std::string_view options =
            format.name == "a SAS transport file" ? ", format=\"xport\"" : "";
        cure = fmt::format("Convert it with Python, import pandas; pandas.{1}(\"{0}\"{2}){3}"
                           ".to_csv(\"{0}.csv\", index=False), and name that file instead.",
                           path, format.how, options, indexedFunction(format.how));
    } else {
        const std::string how = fmt::format(fmt::runtime(format.how), path);
        cure = fmt::format(fmt::runtime(format.cure), path, how);
    }
    return error(ErrorCode::InvalidArgument, kind, path, format.name, cure);
}

/// Reads JSON's tokens one after the other, as far as the text goes.
class JsonTokens
{
public:
    explicit JsonTokens(std::string_view text) : m_text(text) {}

    /// Whether the first value is an object or an array, and something else than a comma follows:
    /// [a],[b] is a header.
    bool beginsWithValue()
    {
        if (!skipBlanks() || (m_text.front() != '{' && m_text.front() != '[')) {
            return false;
        }
        if (!takeValue()) {
            // What is cut off has been JSON so far.
            return m_isCut;
        }
        const std::size_t next = m_text.find_first_not_of(" \t\r");
        return next == std::string_view::npos || m_text[next] == '\n' || m_text[next] == '{';
    }

private:
    bool skipBlanks()
    {
        const std::size_t at = std::min(m_text.find_first_not_of(kTextBlanks), m_text.size());
        m_text.remove_prefix(at);
        return !m_text.empty();
    }

    /// A whole value; false if it is wrong, or cut off.
    bool takeValue()
    {
        if (!skipBlanks()) {
            return cut();
        }
        const char letter = m_text.front();
        if (letter == '"') {
            return takeText();
        }
        if (letter == '{' || letter == '[') {
            return takeMembers(letter == '{');
        }
        return takeWord();
    }

    bool takeMembers(bool isObject)
    {
        constexpr std::size_t kDeepest = 64;
        const char end = isObject ? '}' : ']';
        m_text.remove_prefix(1);
        m_open.push_back(end);
        // Deep nesting is taken for JSON, and the recursion ends here.
        if (m_open.size() > kDeepest) {
            return cut();
        }
        if (!skipBlanks()) {
            return cut();
        }
        while (m_text.front() != end) {
            if (isObject && (!takeText() || !takeSign(':'))) {
                return false;
            }
            if (!takeValue()) {
                return false;
            }
            if (!skipBlanks()) {
                return cut();
            }
            if (m_text.front() == end) {
                break;
            }
            if (!takeSign(',')) {
                return false;
            }
            if (!skipBlanks()) {
                return cut();
            }
        }
        m_text.remove_prefix(1);
        m_open.pop_back();
        return true;
    }

    bool takeSign(char sign)
    {
        if (!skipBlanks()) {
            return cut();
        }
        if (m_text.front() != sign) {
            return false;
        }
        m_text.remove_prefix(1);
        return true;
    }

    bool takeText()
    {
        if (m_text.front() != '"') {
            return false;
        }
        for (std::size_t i = 1; i < m_text.size(); ++i) {
            if (m_text[i] == '\\') {
                ++i;
            } else if (m_text[i] == '"') {
                m_text.remove_prefix(i + 1);
                return true;
                // A text of JSON has no line ends; a CSV file may begin with [" as well.
            } else if (m_text[i] == '\n') {
                return false;
            }
        }
        return cut();
    }

    bool takeWord()
    {
        const std::size_t end =
            std::min(m_text.find_first_not_of("+-.0123456789abcdefghijklmnopqrstuvwxyzENaIy"),
                     m_text.size());
        const std::string_view word = m_text.substr(0, end);
        m_text.remove_prefix(end);
        if (m_text.empty()) {
            return cut();
        }
        constexpr std::array kWords{"true"sv, "false"sv,    "null"sv,
                                    "NaN"sv,  "Infinity"sv, "-Infinity"sv};
        const bool isNumber =
            !word.empty() && word.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
        return isNumber || std::find(kWords.begin(), kWords.end(), word) != kWords.end();
    }

    bool cut()
    {
        m_isCut = true;
        return false;
    }

    std::string_view m_text;
    std::string m_open; ///< the ends of what is open
    bool m_isCut = false;
};

} // namespace

std::optional<Error> otherBinaryFormat(std::string_view start, const std::string& path)
{
    const bool isZip = start.starts_with(kZip);
    const bool isWorkbook =
        // By its name or by its sheets: every zip archive begins alike.
        isZip && (isNamedAsSpreadsheet(path) || start.find("xl/") != std::string_view::npos);
    if (isWorkbook || start.starts_with(kCompoundFile)) {
        return error(ErrorCode::InvalidArgument, kSpreadsheet, path);
    }
    for (const OtherFormat& format : kBinaryFormats) {
        if (start.size() > format.at && start.substr(format.at).starts_with(format.mark) &&
            (!format.isBinary || start.find('\0') != std::string_view::npos)) {
            return refusal(kBinaryTable, format, path);
        }
    }
    // After the formats above, which are more precise.
    if (isZip) {
        return error(ErrorCode::InvalidArgument, kZipArchive, path);
    }
    return std::nullopt;
}

std::optional<Error> otherTextFormat(std::string_view start, const std::string& path)
{
    constexpr std::size_t kLongestMark = 40;
    start.remove_prefix(start.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
    start.remove_prefix(std::min(start.find_first_not_of(kTextBlanks), start.size()));
    const std::string lower = foldedCase(start.substr(0, kLongestMark));
    for (const OtherFormat& format : kTextFormats) {
        if (lower.starts_with(format.mark)) {
            return refusal(kOtherText, format, path);
        }
    }
    if (beginsAsJson(start)) {
        return refusal(kOtherText, kJson, path);
    }
    return std::nullopt;
}

bool beginsAsJson(std::string_view text)
{
    constexpr std::size_t kMostBytes = 4096;
    constexpr std::size_t kFewestBytes = 8;
    const std::string_view start = text.substr(0, kMostBytes);
    return start.size() >= kFewestBytes && JsonTokens(start).beginsWithValue();
}

} // namespace cannery::storage
