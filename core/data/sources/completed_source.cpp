// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/completed_source.h"

#include "core/base/catalog.h"
#include "core/data/rows/row_reader.h"

#include <algorithm>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kNoneThere{"data.no_column_there",
                               "{} has none of the columns that are read.{} Name another file."};

/// A column without a value in any of some rows.
storage::TableColumn emptyColumn(const std::string& name, DType dtype, std::size_t rows)
{
    storage::TableColumn column{
        .name = name, .dtype = dtype, .values = storage::emptyValues(dtype)};
    std::visit(
        [rows](auto& values) {
            for (std::size_t row = 0; row < rows; ++row) {
                values.push_back({});
            }
        },
        column.values);
    column.validity.assign(rows, 0);
    return column;
}

/// Where a column is missing, and what it is called.
struct Gap
{
    std::size_t place = 0; ///< in the chunks
    std::string name;
    DType dtype = DType::String;
};

class CompletedStream final : public ChunkStream
{
public:
    CompletedStream(std::unique_ptr<ChunkStream> stream, std::vector<Gap> gaps)
        : m_stream(std::move(stream)), m_gaps(std::move(gaps))
    {}

    Result<std::optional<storage::TableChunk>> next() override
    {
        CANNERY_TRY_ASSIGN(std::optional<storage::TableChunk> chunk, m_stream->next());
        if (!chunk) {
            return chunk;
        }
        // Ascending, so that each place is right once those before it are filled.
        for (const Gap& gap : m_gaps) { // ascending
            chunk->columns.insert(chunk->columns.begin() + static_cast<std::ptrdiff_t>(gap.place),
                                  emptyColumn(gap.name, gap.dtype, chunk->rows));
        }
        return chunk;
    }

    ReadReport report() const override { return m_stream->report(); }
    std::vector<RefusedRow> refused(std::size_t from) const override
    {
        return m_stream->refused(from);
    }
    std::optional<std::string> fingerprint() const override { return m_stream->fingerprint(); }

private:
    std::unique_ptr<ChunkStream> m_stream;
    std::vector<Gap> m_gaps;
};

class CompletedSource final : public DataSource
{
public:
    CompletedSource(std::unique_ptr<DataSource> source, std::vector<ColumnSchema> absent)
        : m_source(std::move(source)), m_absent(std::move(absent)), m_schema(m_source->schema())
    {
        // The absent ones come last, as if the file had them there.
        m_schema.columns.insert(m_schema.columns.end(), m_absent.begin(), m_absent.end());
    }

    const TableSchema& schema() const override { return m_schema; }
    const std::vector<std::string>& files() const override { return m_source->files(); }
    std::vector<SourceSetting> settings() const override { return m_source->settings(); }
    Result<std::string> fingerprint() const override { return m_source->fingerprint(); }

    Result<std::unique_ptr<ChunkStream>> read(const ChunkRequest& request) const override
    {
        ChunkRequest there = request;
        there.columns.clear();
        std::vector<Gap> gaps;
        for (std::size_t i = 0; i < request.columns.size(); ++i) {
            const ColumnRequest& wanted = request.columns[i];
            const auto absent = std::ranges::find(m_absent, wanted.column, &ColumnSchema::name);
            if (absent == m_absent.end()) {
                there.columns.push_back(wanted);
                continue;
            }
            gaps.push_back({.place = i,
                            .name = wanted.as.empty() ? wanted.column : wanted.as,
                            // An absent column has the type of training unless another one is asked
                            // for.
                            .dtype = wanted.dtype.value_or(absent->dtype)});
        }
        // A file without any of them is another table.
        if (there.columns.empty()) {
            return fail(ErrorCode::NotFound, kNoneThere, files().front(),
                        suggestion(request.columns.front().column, m_source->schema().names()));
        }
        CANNERY_TRY_ASSIGN(std::unique_ptr<ChunkStream> stream, m_source->read(there));
        return std::unique_ptr<ChunkStream>(
            std::make_unique<CompletedStream>(std::move(stream), std::move(gaps)));
    }

    /// Of the columns that are there.
    Result<std::unique_ptr<RowReader>> rowReader() const override { return m_source->rowReader(); }

    Result<std::vector<std::vector<std::string>>> preview(std::size_t maxRows) const override
    {
        CANNERY_TRY_ASSIGN(std::vector<std::vector<std::string>> rows, m_source->preview(maxRows));
        for (std::vector<std::string>& row : rows) {
            // Cells of absent columns are empty.
            row.resize(m_schema.columns.size());
        }
        return rows;
    }

private:
    std::unique_ptr<DataSource> m_source;
    std::vector<ColumnSchema> m_absent;
    TableSchema m_schema;
};

} // namespace

std::unique_ptr<DataSource> completedSource(std::unique_ptr<DataSource> source,
                                            std::vector<ColumnSchema> absent)
{
    if (absent.empty()) {
        return source;
    }
    return std::make_unique<CompletedSource>(std::move(source), std::move(absent));
}

} // namespace cannery::data
