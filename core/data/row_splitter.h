// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/data_source.h"
#include "core/spec/data.pb.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace cannery::data {

/// Decides for each row of a source, in order, whether it is held back for evaluation. A fraction f
/// is taken from small groups of consecutive rows (five for f = 0.2), in each of which a keyed
/// permutation picks the rows: the shares are exact even for few rows, and the rows are the same
/// whenever seed, order and (if stratified) labels are. With stratification, the rows of each class
/// form their own groups.
class RowSplitter
{
public:
    /// `label`: the column whose texts are the classes, for a stratified split.
    static Result<RowSplitter> create(const spec::Split& split, const std::string& label);

    /// The column whose texts mark() needs, or empty.
    const std::string& column() const { return m_column; }

    /// The rows of the next chunk that belong to the part. `texts`: those of column(), or nullptr.
    Result<std::vector<std::uint32_t>> pick(std::size_t rows, const StringColumn* texts,
                                            DataPart part);

private:
    RowSplitter() = default;
    bool isEvalRow(std::uint64_t classKey, std::uint64_t member) const;
    Result<bool> isEval(std::string_view text);

    std::string m_column;
    std::vector<std::string> m_evalValues; ///< when split by m_column, else empty
    bool m_byColumn = false;
    double m_fraction = 0;
    std::uint64_t m_seed = 0;
    std::uint64_t m_groupSize = 1;
    std::unordered_map<std::uint64_t, std::uint64_t> m_seen; ///< rows so far, by class
};

/// The rows of one part of a stream. If the splitter has a column, it must be the last one of the
/// chunks, read as strings under the name kSplitColumn; it is removed.
std::unique_ptr<ChunkStream> filterRows(std::unique_ptr<ChunkStream> stream, RowSplitter splitter,
                                        DataPart part);

inline constexpr const char* kSplitColumn = "\x01split";

} // namespace cannery::data
