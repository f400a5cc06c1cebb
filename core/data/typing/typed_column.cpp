// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/typed_column.h"

#include "core/base/utf8.h"
#include "storage/tabular/number_parser.h"
#include "storage/tabular/text_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace cannery::data {

namespace {

using storage::NumberStatus;

bool fitsInt32(std::int64_t value)
{
    return value >= std::numeric_limits<std::int32_t>::min() &&
           value <= std::numeric_limits<std::int32_t>::max();
}

/// Above, not every integer is a double.
constexpr double kLargestWhole = 9007199254740992.0;

template <typename T>
void format(std::string& text, T value)
{
    fmt::format_to(std::back_inserter(text), "{}", value);
}

/// Whether all bytes are 1 to 127; may also be false if they are.
bool isPlain(std::string_view text)
{
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    constexpr std::uint64_t kHighs = 0x8080808080808080U;
    std::size_t at = 0;
    for (; at + kWord <= text.size(); at += kWord) {
        // Eight bytes at once. The padding around texts is not needed: the rest is looked at byte
        // by byte.
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, kWord);
        if ((((word - kOnes) | word) & kHighs) != 0) { // a byte 0 borrows
            return false;
        }
    }
    return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                       [](char byte) { return byte > 0; });
}

} // namespace

std::string_view describe(CellFault fault)
{
    switch (fault) {
    case CellFault::None:
        break;
    case CellFault::NotANumber:
        return "is not a number";
    case CellFault::Fraction:
        return "is not an integer";
    case CellFault::TooLarge:
        return "is too large";
    case CellFault::NotText:
        return "is not text in UTF-8";
    }
    return "is valid";
}

void appendNumber(std::string& text, std::int64_t value)
{
    format(text, value);
}

void appendNumber(std::string& text, float value)
{
    format(text, value);
}

void appendNumber(std::string& text, double value)
{
    format(text, value);
}

TypedColumn::TypedColumn(std::string name, DType dtype, std::vector<std::string> missingTokens,
                         storage::NumberNotation notation)
    : m_missingTokens(std::move(missingTokens)), m_notation(std::move(notation))
{
    m_column.name = std::move(name);
    m_column.dtype = dtype;
    for (std::string& token : m_missingTokens) {
        if (dtype != DType::String) {
            // Cells of numbers are compared without blanks, so their tokens are as well.
            token = storage::trimmed(token);
        }
        double number = 0;
        // Parsers read whole vectors, beyond the token's end.
        const storage::PaddedText padded(token);
        if (storage::parseDouble(padded.view(), number) != NumberStatus::NotANumber) {
            // Numbers of the source are compared with the token's number first.
            m_tokenNumbers.push_back(number);
        }
    }
}

/// Compares numbers, so that only cells with the value of a token are formatted as text.
bool TypedColumn::maybeToken(double value) const
{
    return std::find(m_tokenNumbers.begin(), m_tokenNumbers.end(), value) != m_tokenNumbers.end();
}

void TypedColumn::start(std::size_t rows)
{
    m_rows = rows;
    m_column.validity.clear();
    m_column.values = storage::emptyValues(m_column.dtype);
    // floats() and integers() give direct access to these two types only.
    m_floats = nullptr;
    m_integers = nullptr;
    if (auto* floats = std::get_if<std::vector<float>>(&m_column.values)) {
        floats->resize(rows);
        m_floats = floats->data();
    } else if (auto* doubles = std::get_if<std::vector<double>>(&m_column.values)) {
        doubles->resize(rows);
    } else if (auto* integers = std::get_if<std::vector<std::int64_t>>(&m_column.values)) {
        integers->resize(rows);
        m_integers = integers->data();
    } else {
        m_column.strings().reserve(rows, rows * sizeof(std::uint64_t));
    }
}

bool TypedColumn::isToken(std::string_view text) const
{
    return std::find(m_missingTokens.begin(), m_missingTokens.end(), text) != m_missingTokens.end();
}

void TypedColumn::setMissing(std::size_t row)
{
    m_column.markMissing(row, m_rows);
    if (m_column.dtype == DType::String) {
        // Strings are appended, so every row needs one; other types have a value in each place
        // already.
        m_column.strings().push_back({});
    }
}

template <typename T>
CellFault TypedColumn::setNumber(std::size_t row, T value)
{
    if constexpr (std::is_floating_point_v<T>) {
        // NaN is a missing value, as in the text of a table.
        if (std::isnan(value)) {
            setMissing(row);
            return CellFault::None;
        }
    }
    // Only a few values need their text, which takes long to make.
    if (m_column.dtype == DType::String || maybeToken(static_cast<double>(value))) {
        m_scratch.clear();
        appendNumber(m_scratch, value);
        if (isToken(m_scratch)) {
            setMissing(row);
            return CellFault::None;
        }
    }
    switch (m_column.dtype) {
    case DType::Float32:
        m_column.as<float>()[row] = static_cast<float>(value);
        return CellFault::None;
    case DType::Float64:
        m_column.as<double>()[row] = static_cast<double>(value);
        return CellFault::None;
    case DType::String:
        m_column.strings().push_back(m_scratch);
        return CellFault::None;
    default:
        break;
    }
    std::int64_t integer = 0;
    if constexpr (std::is_integral_v<T>) {
        integer = value;
    } else {
        if (value != std::floor(value)) {
            return CellFault::Fraction;
        }
        // An infinity is whole as well, and ends here.
        // Beyond this, neighbouring integers are the same double.
        if (std::fabs(static_cast<double>(value)) > kLargestWhole) {
            return CellFault::TooLarge;
        }
        integer = static_cast<std::int64_t>(value);
    }
    if (m_column.dtype == DType::Int32 && !fitsInt32(integer)) {
        return CellFault::TooLarge;
    }
    m_column.as<std::int64_t>()[row] = integer;
    return CellFault::None;
}

CellFault TypedColumn::setInteger(std::size_t row, std::int64_t value)
{
    return setNumber(row, value);
}

CellFault TypedColumn::setFloat(std::size_t row, float value)
{
    return setNumber(row, value);
}

CellFault TypedColumn::setDouble(std::size_t row, double value)
{
    return setNumber(row, value);
}

CellFault TypedColumn::setText(std::size_t row, std::string_view value)
{
    if (m_column.dtype != DType::String) {
        return setParsed(row, storage::trimmed(value));
    }
    if (hasTokens() && isToken(value)) {
        setMissing(row);
        // Tokens are compared before the text is checked.
        return CellFault::None;
    }
    if (!isPlain(value) && (findInvalidUtf8(value) != std::string_view::npos ||
                            value.find('\0') != std::string_view::npos)) {
        return CellFault::NotText;
    }
    // An empty text is missing, as in the text of a table.
    if (value.empty()) {
        setMissing(row);
    } else {
        m_column.strings().push_back(value);
    }
    return CellFault::None;
}

CellFault TypedColumn::setParsed(std::size_t row, std::string_view text)
{
    // Before the notation: a token may be anything, such as "-" or "n/a".
    if (text.empty() || isToken(text) || storage::spellsNan(text)) {
        setMissing(row);
        return CellFault::None;
    }
    const std::optional<std::string_view> number = m_notation.rewritten(text);
    if (!number) {
        return CellFault::NotANumber;
    }
    if (isInteger(m_column.dtype)) {
        std::int64_t value = 0;
        const NumberStatus status = storage::parseInteger(*number, value);
        return status == NumberStatus::Ok           ? setNumber(row, value)
               : status == NumberStatus::OutOfRange ? CellFault::TooLarge
                                                    : CellFault::NotANumber;
    }
    if (m_column.dtype == DType::Float32) {
        float value = 0;
        return storage::parseFloat(*number, value) == NumberStatus::NotANumber
                   ? CellFault::NotANumber
                   : setNumber(row, value);
    }
    double value = 0;
    return storage::parseDouble(*number, value) == NumberStatus::NotANumber ? CellFault::NotANumber
                                                                            : setNumber(row, value);
}

storage::TableColumn TypedColumn::finish(std::size_t rows)
{
    storage::TableColumn done{.name = m_column.name, .dtype = m_column.dtype};
    std::visit(
        [&](auto& values) {
            // Fewer rows than at the start: a file ended. Strings have as many as were appended.
            if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, StringColumn>) {
                values.resize(rows);
            }
        },
        m_column.values);
    done.values = std::move(m_column.values);
    done.validity = std::move(m_column.validity);
    // Without a missing cell there is no list.
    if (!done.validity.empty()) {
        done.validity.resize(rows);
    }
    return done;
}

} // namespace cannery::data
