// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/csv_program.h"

#include "core/export/program/python_text.h"
#include "core/spec/data.pb.h"

#include <fmt/core.h>

#include <string_view>
#include <vector>

namespace cannery::exporting {

namespace {

using google::protobuf::Message;

const spec::CsvSource& filesOf(const Message& source)
{
    return dynamic_cast<const spec::CsvSource&>(source);
}

std::vector<std::string> quoted(const google::protobuf::RepeatedPtrField<std::string>& texts)
{
    std::vector<std::string> literals;
    for (const std::string& text : texts) {
        literals.push_back(pythonText(text));
    }
    return literals;
}

/// In the order in which core/data reads: skipped rows, comments, then runs of blanks.
/// The lines of a file that hold its table, of which `stream` has all.
std::string tableLines(const spec::CsvSource& files)
{
    std::string lines = "stream";
    if (files.skip_rows() > 0) {
        lines = fmt::format("list(stream)[{}:]", files.skip_rows());
    }
    if (!files.comment().empty()) {
        lines = fmt::format("(line for line in {} if not line.startswith({}))", lines,
                            pythonText(files.comment()));
    }
    if (files.field_delim() == " ") { // any run of spaces and tabs, which csv does not know
        lines = fmt::format("(' '.join(line.split()) for line in {})", lines);
    }
    return lines;
}

/// The arguments of csv.DictReader for how cells are quoted.
std::string quoteArguments(const spec::CsvSource& files)
{
    std::string arguments = files.use_quote_delim() ? "" : ", quoting=csv.QUOTE_NONE";
    if (files.use_quote_delim() && files.has_quote_char() && files.quote_char() != "\"") {
        arguments += ", quotechar=" + pythonText(files.quote_char());
    }
    if (!files.escape_char().empty()) {
        arguments += ", escapechar=" + pythonText(files.escape_char());
    }
    return arguments + (files.skip_initial_space() ? ", skipinitialspace=True" : "");
}

/// What to do with the rows that csv.DictReader gives.
std::string rowsFrom(const spec::CsvSource& files, const std::string& reader)
{
    return files.formula_quotes()
               ? fmt::format("[{{name: str(text)[2:-1] if str(text).startswith('=\"') else text\n"
                             "                      for name, text in row.items()}}\n"
                             "                     for row in {}]",
                             reader)
               : reader;
}

} // namespace

std::string csvReadFunction(const Message& source)
{
    // By the number of the schema's encoding; utf-8-sig also skips a byte order mark.
    static constexpr std::string_view kEncodings[] = {"utf-8-sig", "latin-1", "cp1252",
                                                      "utf-16",    "cp949",   "gb18030"};
    const spec::CsvSource& files = filesOf(source);
    const std::string delimiter = files.has_field_delim() ? files.field_delim() : ",";
    return fmt::format(R"(
def read(patterns, fieldnames=None):
    """The rows of CSV files, sorted by name, as dictionaries of texts."""
    rows = []
    for path in sorted(path for name in patterns for path in glob.glob(path_of(name))):
        opened = gzip.open if path.endswith('.gz') else open
        with opened(path, 'rt', encoding={}, newline='') as stream:
            rows += {}
    return rows
)",
                       pythonText(kEncodings[files.encoding()]),
                       rowsFrom(files, fmt::format("csv.DictReader({}, fieldnames, delimiter={}{})",
                                                   tableLines(files), pythonText(delimiter),
                                                   quoteArguments(files))));
}

std::string csvReadCall(const Message& source)
{
    PythonCall call("read");
    call.add(pythonList(quoted(filesOf(source).files())));
    if (filesOf(source).column_names_size() > 0) {
        call.add("fieldnames", pythonList(quoted(filesOf(source).column_names())));
    }
    return call.text();
}

std::string csvNumberReader(const Message& source)
{
    return filesOf(source).decimal_mark() == spec::DecimalMark::comma ? "comma_float" : "float";
}

std::string csvNumberReaderDefinition(const Message& source)
{
    // Python's float() reads a point only.
    return filesOf(source).decimal_mark() == spec::DecimalMark::comma
               ? "\n\ndef comma_float(text):\n    return float(text.replace(',', '.'))\n\n"
               : "";
}

} // namespace cannery::exporting
