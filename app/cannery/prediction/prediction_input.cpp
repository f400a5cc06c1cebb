// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/prediction/prediction_input.h"

#include "core/base/json_text.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/data/typing/column_settlement.h"
#include "core/serving/json_document.h"
#include "core/serving/json_row.h"
#include "core/survey/table_settings.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/tabular/csv/csv_cell.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <unordered_set>
#include <vector>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

constexpr ErrorKind kUnreadable{"data.unreadable", "Cannot read rows to predict from {}: {}."};
constexpr ErrorKind kBadLine{"data.bad_json", "Line {} of {} is not a row in JSON: {}. Write one "
                                              "object for each row, in lines or in an array, "
                                              "such as {{\"age\": 22}}."};
constexpr ErrorKind kBadArray{
    "data.bad_json_array", "{} begins like a JSON array, which does not close, or is followed by "
                           "other text. Complete it, or write one object in each line."};
constexpr ErrorKind kBadJsonRow{"data.bad_json_row", "{}:{}: not a JSON object: {}"};
constexpr ErrorKind kNoTemporary{"predict.no_temporary_file",
                                 "Cannot write the temporary file {}: {}. Free some space, or "
                                 "name another folder with TMPDIR."};

struct TemporaryFile
{
    std::string path;
    std::FILE* stream = nullptr;
};

Result<TemporaryFile> makeTemporaryFile()
{
    const char* folder = std::getenv("TMPDIR");
    std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/cannery-rows-XXXXXX";
    // Under a name that nobody can guess, readable by the user alone.
    const int descriptor = mkstemp(path.data());
    std::FILE* stream = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
    if (stream == nullptr) {
        return fail(ErrorCode::PermissionDenied, kNoTemporary, path, std::strerror(errno));
    }
    return TemporaryFile{.path = path, .stream = stream};
}

std::string separatorOf(const spec::Data& data, const std::string& column)
{
    for (const spec::Feature& feature : data.feature()) {
        if (feature.split().column() == column) {
            return feature.split().separator();
        }
    }
    return "|";
}

/// The decimal mark of a column's numbers.
char decimalMarkOf(const spec::Data& data, const std::string& column)
{
    const char usual = data::decimalMarkOf(data.train());
    for (const spec::Column& one : data.column()) {
        if (one.name() == column) {
            return data::notationOf(one, usual).decimalMark;
        }
    }
    return usual;
}

/// `mark`: the decimal mark of numbers.
std::string cellText(const Json& value, const std::string& separator, char mark)
{
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_null()) {
        return {};
    }
    if (!value.is_array()) {
        std::string text = jsonText(value);
        if (value.is_number()) {
            std::replace(text.begin(), text.end(), '.', mark);
        }
        return text;
    }
    std::string text;
    for (const Json& item : value) {
        text += (text.empty() ? "" : separator) + cellText(item, separator, mark);
    }
    return text;
}

/// Skips white space; the number of lines that end in it.
std::int64_t skipBlankLines(std::istream& stream)
{
    std::int64_t lines = 0;
    while (std::isspace(stream.peek()) != 0) {
        lines += stream.get() == '\n' ? 1 : 0;
    }
    return lines;
}

using LineOrigin = PredictionInput::LineOrigin;

struct JsonRow
{
    Json cells;
    std::int64_t line = 0;
};

/// A row that cannot be used.
struct BadJson
{
    std::size_t before = 0; ///< the row that it precedes
    std::int64_t line = 0;
    std::string text; ///< its beginning
};

struct JsonRows
{
    std::vector<JsonRow> rows;
    std::vector<BadJson> bad;

    void add(std::string_view text, std::int64_t line)
    {
        constexpr std::size_t kShown = 80;
        if (std::optional<Json> row = serving::jsonRow<Json>(text)) {
            rows.push_back({.cells = std::move(*row), .line = line});
        } else {
            bad.push_back({rows.size(), line, std::string(text.substr(0, kShown))});
        }
    }
};

bool isBlank(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c); });
}

std::string_view lineAt(std::string_view text, std::size_t begin)
{
    return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

/// An object in each line.
JsonRows linesOf(std::string_view text, std::int64_t number)
{
    JsonRows rows;
    for (std::size_t begin = 0; begin < text.size(); ++number) {
        const std::string_view line = lineAt(text, begin);
        if (!isBlank(line)) {
            rows.add(line, number);
        }
        begin += line.size() + 1;
    }
    return rows;
}

std::optional<JsonRows> arrayOf(std::string_view text, std::int64_t number)
{
    const std::optional<std::vector<serving::JsonPiece>> pieces = serving::cutJsonArray(text);
    if (!pieces) {
        return std::nullopt;
    }
    JsonRows rows;
    for (const serving::JsonPiece& piece : *pieces) {
        rows.add(piece.text, number + static_cast<std::int64_t>(piece.line) - 1);
    }
    return rows;
}

/// One object over several lines: a row, or the list of all rows under some name.
std::optional<JsonRows> documentOf(std::string_view text, std::int64_t number)
{
    std::optional<Json> whole = serving::jsonRow<Json>(text);
    if (!whole) {
        return std::nullopt;
    }
    const std::size_t list = serving::findArrayOfObjects(text);
    if (list == std::string_view::npos) {
        JsonRows rows;
        rows.rows.push_back({.cells = *std::move(whole), .line = number});
        return rows;
    }
    const std::size_t end = text.rfind(']');
    const auto before =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(list), '\n');
    return arrayOf(text.substr(list, end - list + 1), number + before);
}

/// The rows of a text that begins with an object or an array, in line `number`.
Result<JsonRows> readJson(std::string_view text, std::int64_t number, const std::string& name)
{
    const bool isArray = text.starts_with('[');
    std::optional<JsonRows> rows;
    if (isArray) {
        rows = arrayOf(text, number);
    } else if (serving::jsonRow<Json>(lineAt(text, 0)) &&
               serving::findArrayOfObjects(lineAt(text, 0)) == std::string_view::npos) {
        rows = linesOf(text, number);
    } else {
        rows = documentOf(text, number);
    }
    if (isArray && !rows) {
        return fail(ErrorCode::InvalidArgument, kBadArray, name);
    }
    if (!rows) {
        rows = linesOf(text, number);
    }
    if (rows->rows.empty() && !rows->bad.empty()) {
        const BadJson& first = rows->bad.front();
        return fail(ErrorCode::InvalidArgument, kBadLine, first.line, name, first.text);
    }
    return *std::move(rows);
}

struct WrittenRows
{
    std::vector<LineOrigin> origins; ///< which line of the file is from which line
    std::int64_t lines = 0;
};

WrittenRows writeAsCsv(std::FILE* out, const std::vector<JsonRow>& rows, const spec::Data& data)
{
    // In the order in which the rows first name them.
    std::vector<std::string> columns;
    std::unordered_set<std::string> known;
    for (const JsonRow& row : rows) {
        for (const auto& [key, value] : row.cells.items()) {
            if (known.insert(key).second) {
                columns.push_back(key);
            }
        }
    }
    WrittenRows written;
    const auto writeLine = [&](auto&& textOf) {
        std::string line;
        for (const std::string& column : columns) {
            line += (line.empty() && &column == &columns.front() ? "" : ",") +
                    storage::csvCell(textOf(column));
        }
        line += '\n';
        std::fwrite(line.data(), 1, line.size(), out); // its stream remembers an error
        written.lines += std::count(line.begin(), line.end(), '\n');
    };
    writeLine([](const std::string& column) { return column; });
    std::map<std::string, char> marks;
    for (const std::string& column : columns) {
        marks[column] = decimalMarkOf(data, column);
    }
    for (const JsonRow& row : rows) {
        written.origins.push_back({.line = written.lines + 1, .origin = row.line});
        writeLine([&](const std::string& column) {
            const auto cell = row.cells.find(column);
            return cell == row.cells.end()
                       ? std::string()
                       : cellText(*cell, separatorOf(data, column), marks[column]);
        });
    }
    return written;
}

void copyStream(std::istream& in, std::FILE* out)
{
    std::array<char, 1U << 16U> buffer{};
    while (in.read(buffer.data(), buffer.size()) || in.gcount() > 0) {
        std::fwrite(buffer.data(), 1, static_cast<std::size_t>(in.gcount()), out); // as above
    }
}

Result<void> closed(const TemporaryFile& temporary)
{
    const bool isWritten = std::fflush(temporary.stream) == 0 && std::ferror(temporary.stream) == 0;
    const int reason = errno;
    std::fclose(temporary.stream);
    if (!isWritten) {
        return fail(ErrorCode::ResourceExhausted, kNoTemporary, temporary.path,
                    std::strerror(reason));
    }
    return {};
}

/// Whether a text that may begin a table with odd names is JSON.
bool beginsLikeJson(std::string_view text, std::string_view name)
{
    const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
    const bool isNamed =
        name.ends_with(".json") || name.ends_with(".jsonl") || name.ends_with(".ndjson");
    return text.starts_with('{') ||
           (text.starts_with('[') &&
            (isNamed || (next != std::string_view::npos && text[next] == '{')));
}

/// Whether rows are read by the source of their kind rather than made CSV first. A model that has
/// learned from JSON lines reads them again as it did.
bool hasOwnReader(bool isStandardInput, const spec::DataSource& found, const spec::Data& data)
{
    return data::isJson(data.train()) ||
           (!isStandardInput && !survey::readsText(found) && !data::isJson(found));
}

/// Reads a file by its content, if that is of another kind than the model's table.
void adoptKind(const std::string& file, spec::Data& data)
{
    if (const spec::DataSource found = data::sourceOfFile(file);
        found.kind_case() != data.train().kind_case()) {
        *data.mutable_train() = found;
    }
}

} // namespace

Result<PredictionInput> PredictionInput::open(const std::string& input, const TableChoice& choice,
                                              const spec::Data& data)
{
    const bool standard = input == "-";
    const auto ofTable = [&](const spec::DataSource& found) -> Result<PredictionInput> {
        PredictionInput result(input, false, data);
        if (found.kind_case() != data.train().kind_case()) {
            *result.m_data.mutable_train() = found;
        }
        result.m_isJson = data::isJson(result.m_data.train());
        CANNERY_TRY(choice.apply(*result.m_data.mutable_train(), input));
        return result;
    };
    if (!standard && storage::isFolder(input)) {
        if (const spec::DataSource found = data::sourceOfFile(input); !survey::readsText(found)) {
            return ofTable(found);
        }
    }
    std::ifstream file;
    if (!standard) {
        CANNERY_TRY(storage::ReadableFile::open(input)); // fails on a pipe without a writer
        file.open(input, std::ios::binary);
        if (!file) {
            return fail(ErrorCode::NotFound, kUnreadable, input, std::strerror(errno));
        }
    }
    std::istream& stream = standard ? std::cin : file;
    const spec::DataSource found = standard ? spec::DataSource() : data::sourceOfFile(input);
    spec::DataSource chosen = found;
    CANNERY_TRY(choice.apply(chosen, standard ? "standard input" : input));
    const bool isText = !hasOwnReader(standard, found, data);
    const std::int64_t before = isText ? skipBlankLines(stream) : 0;
    std::string text;
    if (isText && (stream.peek() == '{' || stream.peek() == '[')) {
        text.assign(std::istreambuf_iterator<char>(stream), {});
    }
    if (beginsLikeJson(text, input)) {
        return ofJson(text, before + 1, standard ? "standard input" : input, data);
    }
    return standard ? ofStream(text, stream, data) : Result<PredictionInput>(ofTable(found));
}

/// As a table of its own.
Result<PredictionInput> PredictionInput::ofJson(std::string_view text, std::int64_t line,
                                                const std::string& given, const spec::Data& data)
{
    CANNERY_TRY_ASSIGN(const JsonRows found, readJson(text, line, given));
    CANNERY_TRY_ASSIGN(const TemporaryFile temporary, makeTemporaryFile());
    PredictionInput result(temporary.path, true, data);
    result.m_given = given;
    result.m_isJson = true;
    *result.m_data.mutable_train() = survey::asPlainTable(data.train());
    const WrittenRows written = writeAsCsv(temporary.stream, found.rows, data);
    CANNERY_TRY(closed(temporary));
    for (const BadJson& bad : found.bad) {
        // Before the next row that could be read, whose line in the table is known.
        const std::int64_t place = bad.before < written.origins.size()
                                       ? written.origins[bad.before].line
                                       : written.lines + 1;
        result.m_refused.push_back(
            {place,
             error(ErrorCode::InvalidArgument, kBadJsonRow, given, bad.line, bad.text).sentence});
    }
    result.m_origins = written.origins;
    return result;
}

/// `text`: what was read of the stream before.
Result<PredictionInput> PredictionInput::ofStream(std::string_view text, std::istream& stream,
                                                  const spec::Data& data)
{
    CANNERY_TRY_ASSIGN(const TemporaryFile temporary, makeTemporaryFile());
    PredictionInput result(temporary.path, true, data);
    result.m_given = "standard input";
    std::fwrite(text.data(), 1, text.size(), temporary.stream); // its stream remembers an error
    copyStream(stream, temporary.stream);
    CANNERY_TRY(closed(temporary));
    adoptKind(temporary.path, result.m_data);
    return result;
}

std::int64_t PredictionInput::originOf(std::int64_t line) const
{
    const auto after = std::upper_bound(
        m_origins.begin(), m_origins.end(), line,
        [](std::int64_t searched, const LineOrigin& row) { return searched < row.line; });
    return after == m_origins.begin() ? line : std::prev(after)->origin;
}

/// Replaces the temporary file, and the line behind it (`file:12`).
std::string PredictionInput::inGiven(std::string text) const
{
    for (std::size_t at = text.find(m_file); at != std::string::npos; at = text.find(m_file, at)) {
        std::string place = m_given;
        std::size_t end = at + m_file.size();
        std::int64_t line = 0;
        if (end < text.size() && text[end] == ':') {
            const char* digits = text.data() + end + 1;
            const auto [behind, status] = std::from_chars(digits, text.data() + text.size(), line);
            if (status == std::errc()) {
                place += ":" + std::to_string(originOf(line));
                end = static_cast<std::size_t>(behind - text.data());
            }
        }
        text.replace(at, end - at, place);
        at += place.size();
    }
    return text;
}

Error PredictionInput::placed(Error found) const
{
    if (!m_temporary) {
        return found;
    }
    // Errors of readers have the file and the line as neighbouring arguments.
    for (std::size_t i = 0; i + 1 < found.arguments.size(); ++i) {
        std::string& next = found.arguments[i + 1];
        std::int64_t line = 0;
        const auto [end, status] = std::from_chars(next.data(), next.data() + next.size(), line);
        if (found.arguments[i] == m_file && status == std::errc() &&
            end == next.data() + next.size()) {
            next = std::to_string(originOf(line));
        }
    }
    for (std::string& argument : found.arguments) {
        argument = inGiven(std::move(argument));
    }
    for (std::string& note : found.notes) {
        note = inGiven(std::move(note));
    }
    found.sentence = inGiven(std::move(found.sentence));
    return found;
}

PredictionInput::PredictionInput(PredictionInput&& other) noexcept
    : m_file(std::move(other.m_file)), m_data(std::move(other.m_data)),
      m_given(std::move(other.m_given)), m_origins(std::move(other.m_origins)),
      m_refused(std::move(other.m_refused)), m_temporary(std::exchange(other.m_temporary, false)),
      m_isJson(other.m_isJson)
{}

PredictionInput::~PredictionInput()
{
    if (m_temporary) {
        unlink(m_file.c_str());
    }
}

} // namespace cannery::app
