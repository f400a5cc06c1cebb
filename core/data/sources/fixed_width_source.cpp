// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/fixed_width_source.h"

#include "core/base/memory_guard.h"
#include "core/data/sources/converted_source.h"
#include "storage/tabular/csv/csv_dialect.h"
#include "storage/tabular/fixed_width_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kNoPlaces{
    "data.no_fixed_width",
    "{} has no places where every line has a blank, so its columns cannot be told apart. Set "
    "fixed_width.column_start to the places where they begin, or name it as csv."};
constexpr ErrorKind kNotAscending{
    "data.column_starts",
    "fixed_width.column_start has {} behind {}. Name the beginnings of the columns in ascending "
    "order, each once."};

constexpr std::size_t kFixedRecognisedBytes = std::size_t{64} << 10U;
/// What decides whether there is a header.
constexpr std::size_t kFixedHeaderBytes = std::size_t{256} << 10U;

using storage::FixedWidth;

/// Names with single blanks between them may stand above columns that are aligned.
Result<std::vector<std::int64_t>> findStarts(const std::string& path)
{
    storage::ColumnFinder all;
    storage::ColumnFinder belowFirst;
    std::size_t names = 0;
    CANNERY_TRY(seeLines(path, [&](std::string_view text) {
        all.add(text);
        if (const std::string_view first = storage::firstRowLine(text);
            names == 0 && !first.empty()) {
            // The first line may be a header, whose names need not be aligned.
            names = storage::wordsOf(first).size();
            text = std::string_view(first.end(), text.end());
        }
        belowFirst.add(text);
        return true;
    }));
    std::vector<std::int64_t> starts = belowFirst.starts();
    // If what is below the first line has as many columns as the header has words, that is how they
    // are.
    if (starts.size() != names) {
        starts = all.starts();
    }
    if (starts.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoPlaces, path);
    }
    return starts;
}

/// The names in a header: its cells, unless words that stand above no column are as many as these.
std::vector<std::string> namesIn(std::string_view header, std::vector<std::string> cells)
{
    const std::vector<std::string_view> words = storage::wordsOf(header);
    // A name longer than its column runs into the next one's cell.
    if (words.size() == cells.size() && std::ranges::count(cells, std::string()) > 0) {
        return {words.begin(), words.end()};
    }
    return cells;
}

/// How the file is read, and the names of its columns.
struct Layout
{
    FixedWidth width;
    std::vector<std::string> names;
};

/// Judges the first line of a file, by its first rows, and takes its names.
Result<void> nameColumns(const spec::FixedWidthSource& message, const std::string& path,
                         Layout& layout)
{
    CANNERY_TRY_ASSIGN(const std::string start, startOfText(path, kFixedHeaderBytes));
    // Packed, as a header may stand anywhere in its columns.
    const FixedWidth packed{.starts = layout.width.starts, .isPacked = true};
    std::string csv;
    std::string_view rest(start);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        if (storage::appendFixedWidth(rest.substr(0, end), packed, csv).value_or(false)) {
            csv += '\n';
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    std::optional<bool> header;
    if (message.has_header()) {
        header = message.header();
    }
    // The places are known; whether there is a header is found out as for CSV.
    const storage::DialectGuess guess =
        storage::detectDialect(csv, false, {.delimiter = ',', .hasHeader = header, .skipRows = 0});
    if (guess.layout.hasHeader) {
        layout.width.header = storage::firstRowLine(start);
        layout.names = namesIn(layout.width.header, guess.layout.names);
    }
    layout.names.resize(packed.starts.size());
    for (std::size_t i = 0; i < layout.names.size(); ++i) {
        // Columns without a name get the one that the schema of CSV would give them.
        if (layout.names[i].empty()) {
            layout.names[i] = fmt::format("c{}", i);
        }
    }
    return {};
}

/// `like`: the columns of the training data, whose names a header repeats; may be null.
Result<Layout> layoutOf(const spec::FixedWidthSource& message, const std::string& path,
                        const TableSchema* like)
{
    Layout layout;
    layout.width.isPacked = message.packed();
    layout.width.starts = {message.column_start().begin(), message.column_start().end()};
    const std::vector<std::int64_t>& starts = layout.width.starts;
    if (starts.empty()) {
        CANNERY_TRY_ASSIGN(layout.width.starts, findStarts(path));
    }
    // Equal places are wrong, too: a column has at least one character.
    const auto wrong = std::ranges::adjacent_find(starts, std::greater_equal());
    if (wrong != starts.end()) {
        return fail(ErrorCode::InvalidArgument, kNotAscending, *std::next(wrong), *wrong);
    }
    // A header of other words would be a row of texts.
    if (like != nullptr && like->columns.size() == starts.size()) {
        layout.names = like->names();
        layout.width.header = fmt::format("{}", fmt::join(layout.names, " "));
        return layout;
    }
    CANNERY_TRY(nameColumns(message, path, layout));
    return layout;
}

Result<std::unique_ptr<DataSource>> openColumns(const spec::DataSource& source,
                                                const SourceOptions& options)
{
    const spec::FixedWidthSource& message = source.fixed_width();
    ConvertedTable table;
    CANNERY_TRY_ASSIGN(table.paths,
                       textFiles({message.files().begin(), message.files().end()}, options));
    CANNERY_TRY_ASSIGN(Layout layout, layoutOf(message, table.paths.front(), options.like));
    table.names = std::move(layout.names);
    table.make = [width = std::move(layout.width)] {
        return storage::makeFixedWidthConverter(width);
    };
    return openConverted(std::move(table), options);
}

} // namespace

Result<std::unique_ptr<DataSource>> openFixedWidthSource(const spec::DataSource& source,
                                                         const SourceOptions& options)
{
    return guardMemory("a fixed-width file", [&] { return openColumns(source, options); });
}

void setFixedWidthFiles(spec::DataSource& source, const std::vector<std::string>& files)
{
    source.mutable_fixed_width()->clear_files();
    for (const std::string& file : files) {
        source.mutable_fixed_width()->add_files(file);
    }
}

bool isFixedWidth(const std::string& path)
{
    const Result<std::string> start =
        guardMemory(path, [&] { return startOfText(path, kFixedRecognisedBytes); });
    return start && storage::beginsAsFixedWidth(*start);
}

void describeFixedWidth(spec::DataSource& source)
{
    spec::FixedWidthSource& message = *source.mutable_fixed_width();
    // A file that cannot be read is reported when it is opened.
    if (const Result<Layout> layout = layoutOf(message, message.files(0), nullptr)) {
        message.mutable_column_start()->Assign(layout->width.starts.begin(),
                                               layout->width.starts.end());
        message.set_header(!layout->width.header.empty());
    }
}

} // namespace cannery::data
