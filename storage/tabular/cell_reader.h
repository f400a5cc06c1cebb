// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "storage/tabular/number_notation.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// Why a value does not fit its column.
enum class CellFault
{
    None,
    NotANumber, ///< a text in a column of numbers
    Fraction,   ///< a number with a fraction in a column of integers
    TooLarge,   ///< an integer beyond the column's type
    NotText,    ///< bytes that are not UTF-8, or a NUL
};

/// What a cell turned out to be: a value, missing, or at fault.
struct CellRead
{
    CellFault fault = CellFault::None;
    bool isMissing = false;
    bool isOutOfRange = false; ///< a number beyond the floats, read as an infinity

    bool isValue() const { return fault == CellFault::None && !isMissing; }
};

/// What the cells of one column mean, whatever they come from: a table, a row of JSON, a program.
/// An empty cell, a missing token and NaN in any spelling are missing; numbers are read in the
/// column's notation. Numbers are compared with tokens without the blanks around both, texts as
/// they are. Values have the type that the column's are kept as: float, double, or std::int64_t for
/// both widths of integers, whose range the dtype decides. Reused, it allocates nothing. One
/// thread.
class CellReader
{
public:
    CellReader(DType dtype, std::vector<std::string> missingTokens, NumberNotation notation);

    DType dtype() const { return m_dtype; }
    /// Whether its numbers are written as the number parsers read them.
    bool readsPlainly() const { return m_isPlain; }
    bool hasTokens() const { return !m_tokens.empty(); }
    /// Whether some token is itself a number, such as -999.
    bool hasNumberTokens() const { return !m_tokenNumbers.empty(); }

    /// What surrounds a text in memory.
    enum class Padding
    {
        Unknown,
        Readable, ///< kTextPadding bytes on both sides, which saves a copy
    };
    /// A text of a column of numbers. `value` is set if the cell is one.
    template <typename Value>
    CellRead number(std::string_view text, Value& value, Padding padding = Padding::Unknown);
    /// A number of a source that has numbers (float, double, std::int64_t): missing if its shortest
    /// text is a token. Integers beyond 2^53 among floats are too large for a column of integers.
    template <typename Given, typename Value>
    CellRead numberFrom(Given given, Value& value);

    /// A text of a column of texts.
    CellRead text(std::string_view text) const;
    /// A number as a cell of a column of texts: `text` becomes its shortest one.
    template <typename Given>
    CellRead textFrom(Given given, std::string& text) const;
    /// Whether a text of a column of texts stands for a missing cell.
    bool isMissingText(std::string_view text) const { return text.empty() || isToken(text); }

private:
    bool isToken(std::string_view text) const;
    template <typename Given>
    bool isTokenNumber(Given given);
    template <typename Value>
    bool fits(Value value) const;
    std::string_view padded(std::string_view text);

    DType m_dtype;
    std::vector<std::string> m_tokens;  ///< of numbers: without blanks around them
    std::vector<double> m_tokenNumbers; ///< of the tokens that are numbers
    bool m_isPlain = false;             ///< the parsers read its numbers as they are written
    NotationReader m_notation;
    std::string m_scratch;
};

/// The shortest text that reads back as the same number.
template <typename Number>
void appendShortest(std::string& text, Number number);

} // namespace cannery::storage
