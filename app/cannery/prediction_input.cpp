// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/prediction_input.h"

#include "app/cannery/csv_cell.h"
#include "app/cannery/json_row.h"
#include "app/cannery/table_settings.h"
#include "core/base/json_text.h"
#include "core/data/data_source_catalog.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"

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
#include <optional>
#include <system_error>
#include <unistd.h>
#include <unordered_set>
#include <vector>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

constexpr ErrorKind kUnreadable{"data.unreadable", "Cannot read rows to predict from {}: {}."};
constexpr ErrorKind kBadLine{"data.bad_json", "Line {} of {} is not a JSON object: {}"};
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

/// Reads every object, behind some lines; the columns are all keys in order of appearance.
Result<std::vector<JsonRow>> readObjects(std::istream& stream, std::int64_t before,
                                         const std::string& name)
{
    std::vector<JsonRow> rows;
    std::string line;
    for (std::int64_t number = before + 1; std::getline(stream, line); ++number) {
        if (std::all_of(line.begin(), line.end(), [](char c) { return std::isspace(c) != 0; })) {
            continue;
        }
        std::optional<Json> row = jsonRow<Json>(line);
        if (!row) {
            return fail(ErrorCode::InvalidArgument, kBadLine, number, name, line.substr(0, 80));
        }
        rows.push_back({.cells = std::move(*row), .line = number});
    }
    return rows;
}

/// Says which line of the file is from which line.
std::vector<LineOrigin> writeAsCsv(std::FILE* out, const std::vector<JsonRow>& rows,
                                   const spec::Data& data)
{
    std::vector<std::string> columns;
    std::unordered_set<std::string> known;
    for (const JsonRow& row : rows) {
        for (const auto& [key, value] : row.cells.items()) {
            if (known.insert(key).second) {
                columns.push_back(key);
            }
        }
    }
    std::int64_t lines = 0;
    const auto writeLine = [&](auto&& textOf) {
        std::string line;
        for (const std::string& column : columns) {
            line +=
                (line.empty() && &column == &columns.front() ? "" : ",") + csvCell(textOf(column));
        }
        line += '\n';
        std::fwrite(line.data(), 1, line.size(), out); // its stream remembers an error
        lines += std::count(line.begin(), line.end(), '\n');
    };
    writeLine([](const std::string& column) { return column; });
    const char mark = hasDecimalComma(data.train()) ? ',' : '.';
    std::vector<LineOrigin> origins;
    for (const JsonRow& row : rows) {
        origins.push_back({.line = lines + 1, .origin = row.line});
        writeLine([&](const std::string& column) {
            const auto cell = row.cells.find(column);
            return cell == row.cells.end() ? std::string()
                                           : cellText(*cell, separatorOf(data, column), mark);
        });
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

} // namespace

Result<PredictionInput> PredictionInput::open(const std::string& input, const spec::Data& data)
{
    const bool standard = input == "-";
    const auto ofTable = [&](const spec::DataSource& found) {
        PredictionInput result(input, false, data);
        if (found.kind_case() != data.train().kind_case()) {
            *result.m_data.mutable_train() = found;
        }
        return result;
    };
    if (!standard && storage::isFolder(input)) {
        if (const spec::DataSource found = data::sourceOfFile(input); !readsText(found)) {
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
    const bool isBinary = !standard && !readsText(found);
    const std::int64_t before = isBinary ? 0 : skipBlankLines(stream);
    const bool json = !isBinary && stream.peek() == '{';
    if (!json && !standard) {
        return ofTable(found);
    }
    CANNERY_TRY_ASSIGN(const TemporaryFile temporary, makeTemporaryFile());
    PredictionInput result(temporary.path, true, data);
    result.m_given = standard ? "standard input" : input;
    if (json) {
        *result.m_data.mutable_train() = asPlainTable(data.train());
    }
    Result<void> written;
    if (json) {
        const Result<std::vector<JsonRow>> rows = readObjects(stream, before, result.m_given);
        if (rows) {
            result.m_origins = writeAsCsv(temporary.stream, *rows, data);
        } else {
            written = tl::make_unexpected(rows.error());
        }
    } else {
        copyStream(stream, temporary.stream);
    }
    const bool isWritten = std::fflush(temporary.stream) == 0 && std::ferror(temporary.stream) == 0;
    const int reason = errno;
    std::fclose(temporary.stream);
    CANNERY_TRY(written);
    if (!isWritten) {
        return fail(ErrorCode::ResourceExhausted, kNoTemporary, temporary.path,
                    std::strerror(reason));
    }
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
