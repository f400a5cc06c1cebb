// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/iso_time.h"
#include "core/base/result.h"
#include "core/data/sources/data_source.h"
#include "core/spec/data.pb.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace cannery::data {

/// Numbers of rows of one chunk, by the part they belong to.
struct SplitRows
{
    std::vector<std::uint32_t> train;
    std::vector<std::uint32_t> eval;
    std::vector<std::uint32_t> bad; ///< of neither: the text is no time
};

/// Decides for each row of a source, in order, whether it is held back for evaluation. A fraction f
/// is taken from small groups of consecutive rows (five for f = 0.2), in each of which a keyed
/// permutation picks the rows: the shares are exact even for few rows, and the rows are the same
/// whenever seed, order and (if stratified) labels are. With stratification, the rows of each class
/// form their own groups. Of k folds each takes one row of every group of k, chosen the same way,
/// so that fold by fold every row is held back once, and folds differ by at most one row (if
/// stratified, of each class). Rows split by time depend on nothing but their own cell.
class RowSplitter
{
public:
    /// `label`: the column whose texts are the classes, for a stratified split. `notation`: that of
    /// the dates, for a split by time.
    static Result<RowSplitter> create(const spec::Split& split, const std::string& label,
                                      spec::DateNotation::Name notation = spec::DateNotation::iso);

    /// The column whose texts split() needs, or empty.
    const std::string& column() const { return m_column; }
    /// Whether a text of the column can be bad.
    bool readsTimes() const { return m_evalFrom.has_value(); }
    spec::DateNotation::Name notation() const { return m_notation; }

    /// Which rows of the next chunk belong to which part. `texts`: those of column(), or nullptr.
    Result<SplitRows> split(std::size_t rows, const StringColumn* texts);

private:
    RowSplitter() = default;
    static Result<RowSplitter> create(const spec::FractionSplit& split, const std::string& label);
    static Result<RowSplitter> create(const spec::FoldSplit& split, const std::string& label);
    bool isEvalRow(std::uint64_t classKey, std::uint64_t member) const;
    Result<bool> isEval(std::string_view text);

    std::string m_column;
    std::vector<std::string> m_evalValues; ///< when split by m_column, else empty
    bool m_byColumn = false;
    std::optional<IsoTime> m_evalFrom; ///< when split by time
    spec::DateNotation::Name m_notation = spec::DateNotation::iso;
    double m_fraction = 0;
    std::optional<std::int64_t> m_fold; ///< when split by fold
    std::uint64_t m_seed = 0;
    std::uint64_t m_groupSize = 1;
    std::unordered_map<std::uint64_t, std::uint64_t> m_seen; ///< rows so far, by class
};

/// Rows of a chunk that belong to one part.
class PartChunk
{
public:
    /// All rows of the chunk.
    PartChunk(DataPart part, std::shared_ptr<storage::TableChunk> chunk);
    /// Some (at least one) of a chunk that may hold the other part's too.
    PartChunk(DataPart part, std::shared_ptr<storage::TableChunk> chunk,
              std::vector<std::uint32_t> rows);

    DataPart part() const { return m_part; }
    std::size_t rows() const { return m_rows.empty() ? m_chunk->rows : m_rows.size(); }
    /// These rows alone. Any thread, also while another takes the other part's.
    storage::TableChunk take() &&;

private:
    DataPart m_part;
    std::shared_ptr<storage::TableChunk> m_chunk;
    std::vector<std::uint32_t> m_rows; ///< all if empty
};

/// What a PartReader does with rows that a splitter calls bad.
struct BadSplitRows
{
    std::vector<std::string> files; ///< as the stream reads them
    std::string column;             ///< whose texts are bad
    bool areSkipped = false;        ///< and counted; otherwise the first one ends reading
};

inline constexpr const char* kSplitColumn = "\x01split";

/// The rows of a stream by the parts they belong to: of one part, or of both by one pass. One
/// thread.
class PartReader
{
public:
    /// All rows belong to the part.
    PartReader(std::unique_ptr<ChunkStream> stream, DataPart part);
    /// The rows of `parts`, as the splitter says. If it has a column, that must be the last one
    /// of the chunks, read as strings under the name kSplitColumn; it is removed. If it reads
    /// times, the chunks must have lines.
    PartReader(std::unique_ptr<ChunkStream> stream, RowSplitter splitter,
               std::vector<DataPart> parts, BadSplitRows badRows);

    /// The next rows (at least one) of some part, or nothing at the end. Of rows that were read
    /// together those to train on come first.
    Result<std::optional<PartChunk>> next();
    const std::vector<DataPart>& parts() const { return m_parts; }
    ReadReport report() const;
    std::vector<RefusedRow> refused(std::size_t from) const { return m_stream->refused(from); }
    std::optional<std::string> fingerprint() const { return m_stream->fingerprint(); }

private:
    Result<void> split(storage::TableChunk&& chunk);
    Result<void> noteBad(const storage::TableChunk& chunk, const StringColumn& texts,
                         const std::vector<std::uint32_t>& rows);
    void add(DataPart part, const std::shared_ptr<storage::TableChunk>& chunk,
             std::vector<std::uint32_t>&& rows);

    std::unique_ptr<ChunkStream> m_stream;
    std::optional<RowSplitter> m_splitter;
    std::vector<DataPart> m_parts;
    std::deque<PartChunk> m_ready;
    std::uint64_t m_rows = 0;      ///< given out
    std::uint64_t m_otherRows = 0; ///< of no part that is wanted
    BadSplitRows m_badRows;
    std::uint64_t m_badRowCount = 0;
    std::vector<std::string> m_badSentences; ///< the first ones
};

} // namespace cannery::data
