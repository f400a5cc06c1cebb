// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/data/pipeline/feature_batch.h"
#include "storage/tabular/cell_reader.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace cannery::data {

/// Reads cells that hold several values: the pieces between separators, those that are empty left
/// out. A piece of numbers is read in the column's notation and may not be missing, as a list has
/// no place for a missing number. Reused, it allocates nothing. One thread.
class PieceReader
{
public:
    /// `separator`: if empty, a cell is one piece. `dtype`: of the pieces.
    PieceReader(std::string separator, DType dtype, storage::NumberNotation notation);

    /// Appends the pieces of a cell to elements of the dtype; returns how many. One that should be
    /// a number but is not is appended as 0, for badPiece() to tell.
    std::int64_t cut(std::string_view cell, FeatureElements& elements);
    /// Appends one piece, or nothing if it is empty; returns whether it is a value.
    bool append(std::string_view piece, FeatureElements& elements);
    /// Appends a number as a piece (double or std::int64_t); returns whether it is a value.
    template <typename Given>
    bool appendNumber(Given given, FeatureElements& elements);

    /// The first piece of the last cell that is not a value of the dtype, or empty; it is part of
    /// that cell.
    std::string_view badPiece() const { return m_badPiece; }

private:
    std::string m_separator;
    storage::CellReader m_reader;
    std::string_view m_badPiece;
    std::string m_scratch;
};

} // namespace cannery::data
