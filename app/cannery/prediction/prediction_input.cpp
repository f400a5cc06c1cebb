// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/prediction/prediction_input.h"

#include "core/data/sources/data_source_catalog.h"
#include "core/data/typing/column_settlement.h"
#include "core/serving/json_document.h"
#include "core/survey/table_settings.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/tabular/json_cells.h"

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
#include <optional>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace cannery::app {

namespace {

constexpr ErrorKind kUnreadable{"data.unreadable", "Cannot read rows to predict from {}: {}."};
constexpr ErrorKind kBadArray{
    "data.bad_json_array", "{} begins like a JSON array, which does not close, or is followed by "
                           "other text. Complete it, or write one object in each line."};
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

/// Takes white space, which may stand before JSON.
std::string takeBlanks(std::istream& stream)
{
    std::string blanks;
    while (std::isspace(stream.peek()) != 0) {
        blanks += static_cast<char>(stream.get());
    }
    return blanks;
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

using LineOrigin = PredictionInput::LineOrigin;

bool isObject(std::string_view text)
{
    std::vector<storage::JsonCell> cells;
    return storage::readJsonCells(text, {}, cells);
}

/// The rows of an array in line `number`, or of one object over several lines that holds them all
/// under some name; nothing for objects one behind the other.
Result<std::vector<serving::JsonPiece>> cutDocument(std::string_view text, std::size_t number,
                                                    const std::string& name)
{
    const bool isArray = text.starts_with('[');
    std::size_t begin = isArray ? 0 : serving::findArrayOfObjects(text);
    const std::size_t end = isArray ? text.size() : text.rfind(']') + 1;
    if (!isArray && (begin == std::string_view::npos || !isObject(text))) {
        return std::vector<serving::JsonPiece>();
    }
    std::optional<std::vector<serving::JsonPiece>> pieces =
        serving::cutJsonArray(text.substr(begin, end - begin));
    if (!pieces) {
        return fail(ErrorCode::InvalidArgument, kBadArray, name);
    }
    const auto before =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
    for (serving::JsonPiece& piece : *pieces) {
        piece.line += number + static_cast<std::size_t>(before) - 1;
    }
    return *std::move(pieces);
}

/// What a text that may be JSON begins with.
struct JsonStart
{
    bool isJson = false;
    std::string text; ///< what was read of it
    /// Of one array or object that holds them all, which is then read whole; the pieces of `text`.
    std::vector<serving::JsonPiece> rows;
};

/// `blanks`: what stands before it.
Result<JsonStart> readJsonStart(std::istream& stream, std::string_view blanks,
                                const std::string& name)
{
    JsonStart start;
    const auto readAll = [&] { start.text.append(std::istreambuf_iterator<char>(stream), {}); };
    if (stream.peek() == '[') {
        readAll();
    } else if (stream.peek() == '{') {
        std::getline(stream, start.text);
        start.text += stream.eof() ? "" : "\n";
    }
    start.isJson = beginsLikeJson(start.text, name);
    const bool isRow = start.isJson && isObject(start.text) &&
                       serving::findArrayOfObjects(start.text) == std::string_view::npos;
    // Rows one behind the other are read by the source, which needs no more than one at a time.
    if (start.isJson && !isRow) {
        readAll();
        const auto lines = static_cast<std::size_t>(std::ranges::count(blanks, '\n'));
        CANNERY_TRY_ASSIGN(start.rows, cutDocument(start.text, lines + 1, name));
    }
    return start;
}

/// Writes each of them into a line of its own, so that each keeps its place whether it can be read
/// or not. Returns which line is from which.
std::vector<LineOrigin> writeLines(std::FILE* out, const std::vector<serving::JsonPiece>& pieces)
{
    std::vector<LineOrigin> origins;
    for (const serving::JsonPiece& piece : pieces) {
        // A piece that is not an object becomes one bad row, whatever brackets it holds.
        std::string line(isObject(piece.text) ? piece.text : "null");
        // Between tokens, a line end is a blank; texts of JSON have none.
        std::ranges::replace_if(
            line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
        line += '\n';
        std::fwrite(line.data(), 1, line.size(), out); // its stream remembers an error
        origins.push_back({.line = static_cast<std::int64_t>(origins.size()) + 1,
                           .origin = static_cast<std::int64_t>(piece.line)});
    }
    return origins;
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

/// Says of each column what the model's table says of all, for files of another kind.
void stateOfEach(spec::Data& data)
{
    const std::vector<std::string> tokens = data::missingTokens(data.train());
    const bool hasComma = data::decimalMarkOf(data.train()) == ',';
    for (spec::Column& column : *data.mutable_column()) {
        for (const std::string& token : tokens) {
            column.add_missing_token(token);
        }
        if (hasComma && !column.number_notation().has_decimal_mark()) {
            column.mutable_number_notation()->set_decimal_mark(spec::DecimalMark::comma);
        }
    }
}

/// Reads a file as what it is, if that is another kind than the model's table.
void adopt(const spec::DataSource& found, spec::Data& data)
{
    if (found.kind_case() != data.train().kind_case()) {
        stateOfEach(data);
        *data.mutable_train() = found;
    }
}

spec::DataSource jsonLines()
{
    spec::DataSource source;
    source.mutable_json_lines();
    return source;
}

} // namespace

Result<PredictionInput> PredictionInput::open(const std::string& input, const TableChoice& choice,
                                              const spec::Data& data)
{
    const bool standard = input == "-";
    const std::string name = standard ? "standard input" : input;
    const spec::DataSource found = standard ? spec::DataSource() : data::sourceOfFile(input);
    const auto ofTable = [&](const spec::DataSource& kind) -> Result<PredictionInput> {
        PredictionInput result(input, false, data);
        adopt(kind, result.m_data);
        CANNERY_TRY(choice.apply(*result.m_data.mutable_train(), input));
        return result;
    };
    if (!standard && storage::isFolder(input) && !survey::readsText(found)) {
        return ofTable(found);
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
    spec::DataSource chosen = found;
    CANNERY_TRY(choice.apply(chosen, name));
    const bool isText = standard || survey::readsText(found) || data::isJson(found);
    const std::string blanks = isText ? takeBlanks(stream) : "";
    CANNERY_TRY_ASSIGN(const JsonStart start,
                       isText ? readJsonStart(stream, blanks, name) : JsonStart());
    if (!start.rows.empty()) {
        return ofDocument(start.rows, name, data);
    }
    if (standard) {
        return ofStream(blanks + start.text, stream, start.isJson, data);
    }
    return ofTable(start.isJson ? jsonLines() : found);
}

/// As lines of JSON.
Result<PredictionInput> PredictionInput::ofDocument(const std::vector<serving::JsonPiece>& rows,
                                                    const std::string& given,
                                                    const spec::Data& data)
{
    CANNERY_TRY_ASSIGN(const TemporaryFile temporary, makeTemporaryFile());
    PredictionInput result(temporary.path, true, data);
    result.m_given = given;
    adopt(jsonLines(), result.m_data);
    result.m_origins = writeLines(temporary.stream, rows);
    CANNERY_TRY(closed(temporary));
    return result;
}

/// `text`: what was read of the stream before.
Result<PredictionInput> PredictionInput::ofStream(std::string_view text, std::istream& stream,
                                                  bool isJson, const spec::Data& data)
{
    CANNERY_TRY_ASSIGN(const TemporaryFile temporary, makeTemporaryFile());
    PredictionInput result(temporary.path, true, data);
    result.m_given = "standard input";
    std::fwrite(text.data(), 1, text.size(), temporary.stream); // its stream remembers an error
    copyStream(stream, temporary.stream);
    CANNERY_TRY(closed(temporary));
    adopt(isJson ? jsonLines() : data::sourceOfFile(temporary.path), result.m_data);
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
      m_temporary(std::exchange(other.m_temporary, false))
{}

PredictionInput::~PredictionInput()
{
    if (m_temporary) {
        unlink(m_file.c_str());
    }
}

} // namespace cannery::app
