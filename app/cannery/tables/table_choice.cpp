// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/table_choice.h"

#include "core/base/catalog.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/survey/table_settings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace cannery::app {

namespace {

constexpr ErrorKind kOnlyForDatabases{
    "command.usage.only_for_sqlite", "{} is not a SQLite database: leave out --table and --query."};
constexpr ErrorKind kTableAndQuery{"command.usage.table_and_query",
                                   "Give either --table or --query, not both."};

} // namespace

void TableChoice::declare(OptionSet& options)
{
    options.option("--table", "NAME", m_table, "the table or view of a SQLite database");
    options.option("--query", "SELECT", m_query, "the rows of a SQLite database");
}

Result<void> TableChoice::apply(spec::DataSource& source, const std::string& file) const
{
    if (m_table && m_query) {
        return fail(ErrorCode::InvalidArgument, kTableAndQuery);
    }
    if (!isMade()) {
        return {};
    }
    const data::DataSourceRow* row = findRow(data::dataSourceCatalog(), source.kind_case());
    if (row == nullptr || row->tables == nullptr) {
        return fail(ErrorCode::InvalidArgument, kOnlyForDatabases, file);
    }
    // The options replace what the experiment sets: table and query exclude each other.
    survey::takeField(source, "table");
    survey::takeField(source, "query");
    survey::setField(source, m_table ? "table" : "query", m_table ? *m_table : *m_query);
    return {};
}

Result<void> TableChoice::applyOrFind(spec::DataSource& source, const std::string& file,
                                      const std::string& column) const
{
    const data::DataSourceRow* row = findRow(data::dataSourceCatalog(), source.kind_case());
    if (isMade() || column.empty() || row == nullptr || row->tables == nullptr) {
        return apply(source, file);
    }
    CANNERY_TRY_ASSIGN(const std::vector<data::NamedTable> tables, row->tables(file));
    const auto hasColumn = [&](const data::NamedTable& table) {
        return std::find(table.columns.begin(), table.columns.end(), column) != table.columns.end();
    };
    const auto found = std::find_if(tables.begin(), tables.end(), hasColumn);
    // Only if exactly one table has the column; otherwise the source reports that one must be
    // chosen.
    if (tables.size() > 1 && found != tables.end() &&
        std::none_of(found + 1, tables.end(), hasColumn)) {
        survey::setField(source, "table", found->name);
    }
    return {};
}

Error withTableOptions(Error error)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOptions{
        {{"name one with table, or write a query", "name one with --table, or rows with --query"},
         {"set table or query", "give --table or --query"}}};
    for (const auto& [field, option] : kOptions) {
        if (const std::size_t at = error.sentence.find(field); at != std::string::npos) {
            error.sentence.replace(at, field.size(), option);
        }
    }
    return error;
}

} // namespace cannery::app
