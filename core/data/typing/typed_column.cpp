// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/typed_column.h"

#include <type_traits>
#include <utility>

namespace cannery::data {

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
    storage::appendShortest(text, value);
}

void appendNumber(std::string& text, float value)
{
    storage::appendShortest(text, value);
}

void appendNumber(std::string& text, double value)
{
    storage::appendShortest(text, value);
}

TypedColumn::TypedColumn(std::string name, DType dtype, std::vector<std::string> missingTokens,
                         storage::NumberNotation notation)
    : m_reader(dtype, std::move(missingTokens), std::move(notation))
{
    m_column.name = std::move(name);
    m_column.dtype = dtype;
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

void TypedColumn::setMissing(std::size_t row)
{
    m_column.markMissing(row, m_rows);
    if (m_column.dtype == DType::String) {
        // Strings are appended, so every row needs one; other types have a value in each place
        // already.
        m_column.strings().push_back({});
    }
}

template <typename Value>
CellFault TypedColumn::settle(std::size_t row, const storage::CellRead& read, Value value)
{
    if (read.isMissing) {
        setMissing(row);
    } else if (read.fault == CellFault::None) {
        m_column.as<Value>()[row] = value;
    }
    return read.fault;
}

template <typename Given>
CellFault TypedColumn::setNumber(std::size_t row, Given given)
{
    switch (m_column.dtype) {
    case DType::Float32: {
        float value = 0;
        const storage::CellRead read = m_reader.numberFrom(given, value);
        return settle(row, read, value);
    }
    case DType::Float64: {
        double value = 0;
        const storage::CellRead read = m_reader.numberFrom(given, value);
        return settle(row, read, value);
    }
    case DType::String:
        if (m_reader.textFrom(given, m_scratch).isMissing) {
            setMissing(row);
        } else {
            m_column.strings().push_back(m_scratch);
        }
        return CellFault::None;
    default:
        break;
    }
    std::int64_t value = 0;
    const storage::CellRead read = m_reader.numberFrom(given, value);
    return settle(row, read, value);
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

template <typename Value>
CellFault TypedColumn::setParsed(std::size_t row, std::string_view text)
{
    Value value{};
    const storage::CellRead read = m_reader.number(text, value);
    return settle(row, read, value);
}

CellFault TypedColumn::setText(std::size_t row, std::string_view value)
{
    switch (m_column.dtype) {
    case DType::Float32:
        return setParsed<float>(row, value);
    case DType::Float64:
        return setParsed<double>(row, value);
    case DType::String:
        break;
    default:
        return setParsed<std::int64_t>(row, value);
    }
    const storage::CellRead read = m_reader.text(value);
    if (read.isMissing) {
        setMissing(row);
    } else if (read.fault == CellFault::None) {
        m_column.strings().push_back(value);
    }
    return read.fault;
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
