// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/data/schema.h"
#include "core/spec/data.pb.h"
#include "storage/tabular/table_chunk.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::data {

/// The two parts of an experiment's rows.
enum class DataPart
{
    Train,
    Eval,
};

/// What reading has met so far.
struct ReadReport
{
    std::uint64_t rows = 0;
    std::uint64_t badRowCount = 0;     ///< rows left out
    std::vector<std::string> badRows;  ///< their sentences, the first hundred
    std::vector<std::string> warnings; ///< numbers beyond their type, …
};

/// Rows of a source in file order, chunk by chunk, with bounded memory. One thread.
class ChunkStream
{
public:
    virtual ~ChunkStream() = default;

    /// The next rows (at least one), or nothing at the end.
    virtual Result<std::optional<storage::TableChunk>> next() = 0;
    virtual ReadReport report() const = 0;
    /// DataSource::fingerprint() of what was read, when it was asked for and the source has ended.
    virtual std::optional<std::string> fingerprint() const { return std::nullopt; }
};

/// One column to read: as its schema says, or as another dtype under another name.
struct ColumnRequest
{
    std::string column;
    std::optional<DType> dtype; ///< instead of the schema's
    std::string as;             ///< name in the chunks; empty: the column's
};

struct ChunkRequest
{
    std::vector<ColumnRequest> columns;
    bool keepLines = false;
    bool fingerprint = false;  ///< take it on the way
    LentThreads threads;       ///< help to read, until the last next()
    std::uint64_t maxRows = 0; ///< stop after about so many rows; 0: all
};

/// A table somewhere: its columns and its rows. Immutable once opened; safe for any thread.
class DataSource
{
public:
    virtual ~DataSource() = default;

    virtual const TableSchema& schema() const = 0;
    /// Files in reading order, for messages and the fingerprint.
    virtual const std::vector<std::string>& files() const = 0;
    /// A hash of the contents of all files, 16 hexadecimal digits: a copy has the same.
    virtual Result<std::string> fingerprint() const = 0;
    /// Starts reading. An unknown column is an error that names the nearest known one.
    virtual Result<std::unique_ptr<ChunkStream>> read(const ChunkRequest& request) const = 0;
    /// The first rows as they stand in the file, every named column, for previews.
    virtual Result<std::vector<std::vector<std::string>>> preview(std::size_t maxRows) const = 0;
};

/// What opening a source needs to know beside its own message.
struct SourceOptions
{
    std::string folder;                ///< relative paths are relative to it; empty: as they are
    std::vector<spec::Column> columns; ///< what the experiment says of single columns
    spec::BadRows::Policy badRows = spec::BadRows::FAIL;
    /// The schema of another source whose dtypes, tokens and defaults count for columns of the same
    /// name (evaluation reads what training inferred).
    const TableSchema* like = nullptr;
    std::uint64_t inferenceRows = 0; ///< rows looked at; 0: all of the first 16 MiB
};

/// Opens a source by the case of its message; see data_source_catalog.h.
Result<std::unique_ptr<DataSource>> openDataSource(const spec::DataSource& source,
                                                   const SourceOptions& options);

} // namespace cannery::data
