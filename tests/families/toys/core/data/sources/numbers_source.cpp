// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/numbers_source.h"

#include "core/base/catalog.h"
#include "core/base/fingerprint.h"
#include "core/base/memory_guard.h"
#include "core/data/data_errors.h"
#include "storage/io/files.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

namespace cannery::data {

namespace {

constexpr ErrorKind kWholeNumbers{
    "data.whole_numbers",
    "{}:{} does not hold {} whole numbers with spaces between them. Correct the line."};
constexpr ErrorKind kOnlyWholeNumbers{"data.only_whole_numbers",
                                      "\"{}\" of {} holds whole numbers; it is not read as {}."};

constexpr std::size_t kChunkRows = 1024;

/// The rows, column by column. All of them stay in memory: this is a toy.
struct Numbers
{
    std::vector<std::vector<std::int64_t>> columns;
    std::size_t rows = 0;
};

class NumbersStream : public ChunkStream
{
public:
    /// @param columns indices into the numbers, and what they are called in the chunks
    NumbersStream(std::shared_ptr<const Numbers> numbers,
                  std::vector<std::pair<std::size_t, std::string>> columns)
        : m_numbers(std::move(numbers)), m_columns(std::move(columns))
    {}

    Result<std::optional<storage::TableChunk>> next() override
    {
        const std::size_t end = std::min(m_next + kChunkRows, m_numbers->rows);
        if (m_next == end) {
            return std::optional<storage::TableChunk>();
        }
        storage::TableChunk chunk{.rows = end - m_next, .firstRow = m_next};
        for (const auto& [index, name] : m_columns) {
            const std::int64_t* values = m_numbers->columns[index].data();
            chunk.columns.push_back(
                {.name = name,
                 .dtype = DType::Int64,
                 .values = std::vector<std::int64_t>(values + m_next, values + end)});
        }
        for (; m_next < end; ++m_next) {
            chunk.lines.push_back(m_next + 1);
        }
        return std::optional(std::move(chunk));
    }

    ReadReport report() const override { return {.rows = m_next}; }

private:
    std::shared_ptr<const Numbers> m_numbers;
    std::vector<std::pair<std::size_t, std::string>> m_columns;
    std::size_t m_next = 0;
};

class NumbersSource : public DataSource
{
public:
    NumbersSource(std::string file, std::string fingerprint, TableSchema schema,
                  std::shared_ptr<const Numbers> numbers)
        : m_files{std::move(file)}, m_fingerprint(std::move(fingerprint)),
          m_schema(std::move(schema)), m_numbers(std::move(numbers))
    {}

    const TableSchema& schema() const override { return m_schema; }
    const std::vector<std::string>& files() const override { return m_files; }
    Result<std::string> fingerprint() const override { return m_fingerprint; }

    Result<std::unique_ptr<ChunkStream>> read(const ChunkRequest& request) const override
    {
        std::vector<std::pair<std::size_t, std::string>> columns;
        for (const ColumnRequest& wanted : request.columns) {
            const ColumnSchema* column = m_schema.find(wanted.column);
            if (column == nullptr) {
                return fail(ErrorCode::NotFound, kNoSuchColumn, m_files.front(), wanted.column,
                            suggestion(wanted.column, m_schema.names()));
            }
            if (wanted.dtype.value_or(DType::Int64) != DType::Int64) {
                return fail(ErrorCode::InvalidArgument, kOnlyWholeNumbers, column->name,
                            m_files.front(), name(*wanted.dtype));
            }
            columns.emplace_back(column->index, wanted.as.empty() ? column->name : wanted.as);
        }
        return std::make_unique<NumbersStream>(m_numbers, std::move(columns));
    }

    Result<std::vector<std::vector<std::string>>> preview(std::size_t maxRows) const override
    {
        std::vector<std::vector<std::string>> rows(std::min(maxRows, m_numbers->rows));
        for (std::size_t row = 0; row < rows.size(); ++row) {
            for (const std::vector<std::int64_t>& column : m_numbers->columns) {
                rows[row].push_back(std::to_string(column[row]));
            }
        }
        return rows;
    }

private:
    std::vector<std::string> m_files;
    std::string m_fingerprint;
    TableSchema m_schema;
    std::shared_ptr<const Numbers> m_numbers;
};

Result<Numbers> parse(const std::string& text, std::size_t columns, const std::string& file)
{
    Numbers numbers;
    numbers.columns.resize(columns);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line); ++numbers.rows) {
        std::istringstream cells(line);
        for (std::vector<std::int64_t>& column : numbers.columns) {
            cells >> column.emplace_back();
        }
        if (cells.fail() || !(cells >> std::ws).eof()) {
            return fail(ErrorCode::InvalidArgument, kWholeNumbers, file, numbers.rows + 1, columns);
        }
    }
    return numbers;
}

Result<std::unique_ptr<DataSource>> openNumbers(const spec::DataSource& source,
                                                const SourceOptions& options)
{
    const spec::NumbersSource& message = source.numbers();
    const bool standsAlone = options.folder.empty() || message.file().starts_with('/');
    const std::string file = standsAlone ? message.file() : options.folder + "/" + message.file();
    CANNERY_TRY_ASSIGN(const std::string text, storage::readWholeFile(file));
    TableSchema schema;
    for (const std::string& column : message.columns()) {
        schema.columns.push_back({.name = column,
                                  .index = schema.columns.size(),
                                  .dtype = DType::Int64,
                                  .reason = "whole numbers",
                                  .kind = ColumnKind::Number});
    }
    CANNERY_TRY_ASSIGN(Numbers numbers, parse(text, schema.columns.size(), file));
    return std::make_unique<NumbersSource>(file, fmt::format("{:016x}", fingerprint64(text)),
                                           std::move(schema),
                                           std::make_shared<const Numbers>(std::move(numbers)));
}

} // namespace

Result<std::unique_ptr<DataSource>> openNumbersSource(const spec::DataSource& source,
                                                      const SourceOptions& options)
{
    return guardMemory("a table", [&] { return openNumbers(source, options); });
}

void setNumbersFiles(spec::DataSource& source, const std::vector<std::string>& files)
{
    source.mutable_numbers()->set_file(files.front());
}

} // namespace cannery::data
