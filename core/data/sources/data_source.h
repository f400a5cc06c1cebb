// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/data/typing/schema.h"
#include "core/spec/data.pb.h"
#include "storage/tabular/table_chunk.h"

#include <map>
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

/// A row that was left out because it cannot be read.
struct RefusedRow
{
    std::size_t file = 0;
    std::uint64_t line = 0;   ///< physical, from 1
    std::uint64_t offset = 0; ///< for RowReader::rowText()
    std::string sentence;     ///< what is wrong with it
    /// False: it could not be made a row at all, and the offset is that of what follows it.
    bool isInTable = true;
};

/// What reading has found so far.
struct ReadReport
{
    std::uint64_t rows = 0;
    std::uint64_t otherRows = 0;       ///< of the part of a split table that is not read
    std::uint64_t badRowCount = 0;     ///< rows left out
    std::vector<std::string> badRows;  ///< error messages, the first hundred
    std::vector<std::string> warnings; ///< e.g. numbers out of range of their type
};

/// Rows of a source in file order, chunk by chunk, with bounded memory. One thread.
class ChunkStream
{
public:
    virtual ~ChunkStream() = default;

    /// The next rows (at least one), or nothing at the end.
    virtual Result<std::optional<storage::TableChunk>> next() = 0;
    virtual ReadReport report() const = 0;
    /// The rows left out so far, from the `from`-th on; at most ChunkRequest::maxRefused in all.
    virtual std::vector<RefusedRow> refused(std::size_t /*from*/) const { return {}; }
    /// DataSource::fingerprint() of the rows read, if requested and the source is exhausted.
    virtual std::optional<std::string> fingerprint() const { return std::nullopt; }
};

/// One column to read: as its schema says, or with another dtype or under another name.
struct ColumnRequest
{
    std::string column;
    std::optional<DType> dtype; ///< overrides the schema's
    std::string as;             ///< name in the chunks; the column's name if empty
};

struct ChunkRequest
{
    std::vector<ColumnRequest> columns;
    bool keepLines = false;
    bool keepOffsets = false;     ///< fill TableChunk::offsets and textEnd
    std::size_t maxRefused = 100; ///< rows left out to describe; all are counted
    bool fingerprint = false;     ///< compute it while reading
    LentThreads threads;          ///< used for reading until the last next()
    std::uint64_t maxRows = 0;    ///< stop after about this many rows; all if 0
};

/// How a source reads its files, for people: a field of its message and why it has this value.
struct SourceSetting
{
    std::string field; ///< "field_delim"
    std::string value; ///< as an experiment states it: ";", "true", "utf16"
    std::string reason;
    bool isDetected = false; ///< not as the message says or by default
    /// A new experiment states it: reading other files needs it, or reading these does not detect
    /// it.
    bool belongsInExperiment = false;
};

class RowReader;

/// A table: its columns and its rows. Immutable once opened; thread-safe.
class DataSource
{
public:
    virtual ~DataSource() = default;

    virtual const TableSchema& schema() const = 0;
    /// Files in reading order, for messages and the fingerprint.
    virtual const std::vector<std::string>& files() const = 0;
    /// What was detected, specified or is suggested about the files; empty if a source has no such
    /// settings.
    virtual std::vector<SourceSetting> settings() const { return {}; }
    /// Writes into the message of this source, or of another one of its kind, what was detected
    /// about the files and must hold for any file that is read alike: whether there is a header.
    /// What the message says stays.
    virtual void pin(spec::DataSource& /*message*/) const {}
    /// A hash of the contents of all files, 16 hexadecimal digits; a copy has the same hash.
    virtual Result<std::string> fingerprint() const = 0;
    /// Starts reading. An unknown column is an error that suggests the nearest known name.
    virtual Result<std::unique_ptr<ChunkStream>> read(const ChunkRequest& request) const = 0;
    /// Reads single rows again, by the offsets of a pass over all columns. Must not outlive this
    /// source. Errors: "data.not_browsable" for a source that can only be read from its beginning.
    virtual Result<std::unique_ptr<RowReader>> rowReader() const;
    /// The first rows, unconverted, with every named column, for previews.
    virtual Result<std::vector<std::vector<std::string>>> preview(std::size_t maxRows) const = 0;
};

/// What opening a source needs besides its own message.
struct SourceOptions
{
    std::string folder;                ///< base of relative paths; the working folder if empty
    std::vector<spec::Column> columns; ///< what the experiment says about individual columns
    spec::BadRows::Policy badRows = spec::BadRows::FAIL;
    /// The schema of another source; its dtypes, tokens and defaults apply to columns of the same
    /// name (evaluation reads with what training inferred).
    const TableSchema* like = nullptr;
    ColumnKinds kinds = ColumnKinds::Guessed;
    /// At which the experiment splits the cells of a column.
    std::map<std::string, std::string> separators;
};

/// Opens a source by the case of its message; see data_source_catalog.h.
Result<std::unique_ptr<DataSource>> openDataSource(const spec::DataSource& source,
                                                   const SourceOptions& options);

} // namespace cannery::data
