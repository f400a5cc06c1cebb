#pragma once

#include "core/features/encoded_rows.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::features {

/// One encoded row as a run of 32-bit words:
///
///     floats of every dense block, labels, weights        (the same number in every row)
///     number of ids of every id block
///     ids of every id block, each followed by its weights where the block has them
class RowRecord
{
public:
    RowRecord() = default;
    /// Of the layout, with or without labels and weights.
    RowRecord(const InputLayout& layout, bool hasLabels, bool hasWeights);

    /// Words that every row has.
    std::size_t fixedWords() const { return m_floatWords + m_isWeighted.size(); }
    /// Whether rows differ in length.
    bool isVariable() const { return !m_isWeighted.empty(); }

    /// Adds one row behind the words.
    void append(const EncodedRows& rows, std::size_t row, std::vector<std::uint32_t>& words) const;

    /// Sizes `out` for this many rows; the ids are empty.
    void start(std::size_t rowCount, EncodedRows& out) const;
    /// Puts a record at a row; rows are put in order.
    void put(const std::uint32_t* record, std::size_t row, EncodedRows& out) const;

private:
    std::vector<std::int64_t> m_denseWidths;
    std::vector<std::uint8_t> m_isWeighted; ///< one an id block
    std::int64_t m_labelWidth = 0;
    std::int64_t m_weightWidth = 0;
    std::size_t m_floatWords = 0;
};

} // namespace cannery::features
