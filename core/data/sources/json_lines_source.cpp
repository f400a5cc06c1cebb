// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/json_lines_source.h"

#include "core/base/memory_guard.h"
#include "core/data/sources/converted_source.h"
#include "core/data/typing/column_settlement.h"
#include "storage/io/files.h"
#include "storage/tabular/other_formats.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kNoObjects{
    "data.no_json_objects",
    "{} holds no JSON object with a value. Each row is an object, such as {{\"age\": 31}}."};

constexpr std::size_t kLookedAtBytes = std::size_t{16} << 20U;
constexpr std::size_t kJsonRecognisedBytes = std::size_t{1} << 20U;

/// The names in the objects of a text, and what their cells hold.
class NamesSeen
{
public:
    void look(std::string_view text, bool isWhole)
    {
        std::vector<storage::JsonCell> cells;
        while (!text.empty()) {
            const std::size_t end = storage::jsonRecordEnd(text, isWhole);
            // The rest of the text is an object that breaks off.
            if (end == 0) {
                return;
            }
            // A text that is not an object is reported when rows are read.
            if (storage::readJsonCells(storage::jsonObjectIn(text.substr(0, end)), {}, cells)) {
                for (const storage::JsonCell& cell : cells) {
                    note(cell);
                }
            }
            text.remove_prefix(end);
        }
    }

    /// A name of the training data that these files may lack.
    void add(const std::string& name) { seenOf(name); }

    const std::vector<std::string>& names() const { return m_names; }

    /// Columns whose cells hold any number of values.
    std::map<std::string, DType> lists() const
    {
        std::map<std::string, DType> lists;
        for (const auto& [name, seen] : m_seen) {
            if (seen.isList) {
                // The narrowest type that all elements of the lists have.
                lists[name] = seen.areIntegers  ? DType::Int64
                              : seen.areNumbers ? DType::Float32
                                                : DType::String;
            }
        }
        return lists;
    }

private:
    struct Seen
    {
        bool isList = false;
        bool areIntegers = true;
        bool areNumbers = true;
    };

    Seen& seenOf(const std::string& name)
    {
        const auto [place, isNew] = m_seen.try_emplace(name);
        if (isNew) {
            m_names.push_back(name);
        }
        return place->second;
    }

    void note(const storage::JsonCell& cell)
    {
        Seen& seen = seenOf(cell.name);
        // One array is enough to make the column a list.
        seen.isList = seen.isList || cell.isList;
        seen.areIntegers = seen.areIntegers && cell.areIntegers;
        seen.areNumbers = seen.areNumbers && cell.areNumbers;
    }

    std::vector<std::string> m_names; ///< in order of appearance
    std::map<std::string, Seen> m_seen;
};

/// A column that holds arrays is a text with separators.
void declareLists(const std::map<std::string, DType>& lists, TableSchema& schema)
{
    for (ColumnSchema& column : schema.columns) {
        const auto list = lists.find(column.name);
        if (list != lists.end()) {
            column.dtype = DType::String;
            column.reason = "its values are arrays";
            column.listOf = list->second;
            // An element of a list is never "missing".
            column.suggestedMissingTokens.clear();
        }
    }
}

Result<std::unique_ptr<DataSource>> openObjects(const spec::DataSource& source,
                                                const SourceOptions& options)
{
    const spec::JsonLinesSource& message = source.json_lines();
    ConvertedTable table{.missingTokens = jsonLinesMissingTokens(source)};
    CANNERY_TRY_ASSIGN(table.paths,
                       textFiles({message.files().begin(), message.files().end()}, options));
    NamesSeen seen;
    // Over all files: names that the first file lacks may be in the second.
    std::size_t left = kLookedAtBytes;
    for (const std::string& path : table.paths) {
        CANNERY_TRY_ASSIGN(const std::string start, startOfText(path, left));
        seen.look(start, start.size() < left);
        // Never 0, so that each file is looked at a little.
        left -= std::min(left - 1, start.size());
    }
    // A text without objects has no columns.
    if (seen.names().empty()) {
        return fail(ErrorCode::InvalidArgument, kNoObjects, table.paths.front());
    }
    for (const std::string& name :
         options.like != nullptr ? options.like->names() : std::vector<std::string>()) {
        // Columns of the training data that these rows may leave out.
        seen.add(name);
    }
    table.names = seen.names();
    table.make = [names = table.names, written = jsonColumns(options, table.names, '.')] {
        return storage::makeJsonConverter(names, written);
    };
    table.declare = [lists = seen.lists()](TableSchema& schema) { declareLists(lists, schema); };
    return openConverted(std::move(table), options);
}

/// Whether the first object of a file is a row.
Result<bool> beginsWithRows(const std::string& path)
{
    CANNERY_TRY_ASSIGN(const std::string start, startOfText(path, kJsonRecognisedBytes));
    if (!storage::beginsAsJson(
            start.substr(std::min(start.find_first_not_of(" \t\r\n"), start.size())))) {
        // An object that breaks off within a megabyte is not a row.
        return false;
    }
    const std::string_view text = start;
    const bool isWhole = text.size() < kJsonRecognisedBytes;
    const std::size_t end = storage::jsonRecordEnd(text, isWhole);
    std::vector<storage::JsonCell> cells;
    if (end == 0 ||
        !storage::readJsonCells(storage::jsonObjectIn(text.substr(0, end)), {}, cells)) {
        return false;
    }
    // One object alone may be anything: a row has values, not objects and lists.
    const bool isAlone =
        isWhole && text.find_first_not_of(" \t\r\n],", end) == std::string_view::npos;
    return !isAlone || std::none_of(cells.begin(), cells.end(), [](const storage::JsonCell& cell) {
        return cell.isList || cell.name.find('.') != std::string::npos;
    });
}

} // namespace

Result<std::unique_ptr<DataSource>> openJsonLinesSource(const spec::DataSource& source,
                                                        const SourceOptions& options)
{
    return guardMemory("a file of JSON lines", [&] { return openObjects(source, options); });
}

storage::JsonColumns jsonColumns(const SourceOptions& options,
                                 const std::vector<std::string>& names, char decimalMark)
{
    storage::JsonColumns columns;
    for (const std::string& name : names) {
        storage::JsonColumn& column = columns[name];
        column.decimalMark = notationOf(options, name, decimalMark).decimalMark;
        const auto split = options.separators.find(name);
        // Cells that are not split hold lists as they do without an experiment.
        column.separator = split != options.separators.end() && !split->second.empty()
                               ? split->second
                               : std::string(1, kListSeparator);
        ColumnSchema settled;
        settled.name = name;
        column.isInteger = settle(options, settled) && isInteger(settled.dtype);
    }
    return columns;
}

void setJsonLinesFiles(spec::DataSource& source, const std::vector<std::string>& files)
{
    source.mutable_json_lines()->clear_files();
    for (const std::string& file : files) {
        source.mutable_json_lines()->add_files(file);
    }
}

std::vector<std::string> jsonLinesMissingTokens(const spec::DataSource& source)
{
    return {source.json_lines().na_value().begin(), source.json_lines().na_value().end()};
}

bool isJsonLines(const std::string& path)
{
    return guardMemory(path, [&]() -> Result<bool> { return beginsWithRows(path); })
        .value_or(false);
}

} // namespace cannery::data
