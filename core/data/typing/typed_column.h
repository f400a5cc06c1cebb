// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "storage/tabular/cell_reader.h"
#include "storage/tabular/number_notation.h"
#include "storage/tabular/table_chunk.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

using storage::CellFault;

/// What is wrong, as the end of a sentence: "is not a number".
std::string_view describe(CellFault fault);

/// The text of a number, the shortest that reads back as the same.
void appendNumber(std::string& text, std::int64_t value);
void appendNumber(std::string& text, float value);
void appendNumber(std::string& text, double value);

/// Fills one column of a chunk from typed values, row by row: an integer in a column of floats
/// becomes a float, a number in a column of texts its shortest text, and a text in a column of
/// numbers the number it reads as (storage::CellReader); NaN is a missing cell. Used by one thread.
class TypedColumn
{
public:
    /// `missingTokens`: texts that stand for a missing cell. `notation`: of numbers in texts.
    TypedColumn(std::string name, DType dtype, std::vector<std::string> missingTokens,
                storage::NumberNotation notation = {});

    /// Empties the column, with room for as many rows.
    void start(std::size_t rows);

    /// The cell of a row; rows come in ascending order, and each before finish().
    CellFault setInteger(std::size_t row, std::int64_t value);
    CellFault setFloat(std::size_t row, float value);
    CellFault setDouble(std::size_t row, double value);
    CellFault setText(std::size_t row, std::string_view value);
    void setMissing(std::size_t row);

    DType dtype() const { return m_column.dtype; }
    const std::string& name() const { return m_column.name; }
    bool hasTokens() const { return m_reader.hasTokens(); }
    /// The values of a column of this dtype, one per row, to be written without a detour; no NaN.
    float* floats() { return m_floats; }
    std::int64_t* integers() { return m_integers; }

    /// The column of the first `rows` rows.
    storage::TableColumn finish(std::size_t rows);

private:
    template <typename Given>
    CellFault setNumber(std::size_t row, Given given);
    template <typename Value>
    CellFault settle(std::size_t row, const storage::CellRead& read, Value value);
    template <typename Value>
    CellFault setParsed(std::size_t row, std::string_view text);

    storage::TableColumn m_column;
    storage::CellReader m_reader;
    std::size_t m_rows = 0;
    float* m_floats = nullptr;
    std::int64_t* m_integers = nullptr;
    std::string m_scratch;
};

} // namespace cannery::data
