// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/stored_part.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace cannery::parameters {

namespace {

constexpr std::int64_t kBits = 64;

void append(std::span<const float> values, std::vector<std::byte>& payload)
{
    const auto bytes = std::as_bytes(values);
    payload.insert(payload.end(), bytes.begin(), bytes.end());
}

bool takeFloats(std::span<const std::byte>& payload, std::span<float> target)
{
    if (payload.size() < target.size_bytes()) {
        return false;
    }
    if (!target.empty()) {
        std::memcpy(target.data(), payload.data(), target.size_bytes());
    }
    payload = payload.subspan(target.size_bytes());
    return true;
}

} // namespace

StoredPart::StoredPart(const wire::Part& part, std::size_t slots)
    : m_cols(part.cols()), m_optimizer(part.optimizer()), m_isSync(part.is_sync()),
      m_count(static_cast<std::size_t>(part.count())), m_slots(slots),
      m_memory(m_count * (1 + slots))
{}

void StoredPart::markAll()
{
    m_isAllChanged = true;
}

void StoredPart::mark(std::int64_t row)
{
    if (m_bits.empty()) {
        m_bits.resize(static_cast<std::size_t>((rows() + kBits - 1) / kBits));
    }
    std::uint64_t& bits = m_bits[static_cast<std::size_t>(row / kBits)];
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(row % kBits);
    m_changedRows += (bits & bit) == 0 ? 1 : 0;
    bits |= bit;
}

void StoredPart::markElements(std::int64_t first, std::int64_t count)
{
    if (count == static_cast<std::int64_t>(m_count)) {
        markAll();
    }
    if (m_isAllChanged || count == 0) {
        return;
    }
    for (std::int64_t row = first / m_cols; row <= (first + count - 1) / m_cols; ++row) {
        mark(row);
    }
}

void StoredPart::markRows(std::int64_t first, std::span<const std::int32_t> rows)
{
    if (m_isAllChanged) {
        return;
    }
    for (const std::int32_t row : rows) {
        mark(first + row);
    }
}

void StoredPart::clearMarks()
{
    m_isAllChanged = false;
    m_changedRows = 0;
    std::ranges::fill(m_bits, 0);
}

std::uint64_t StoredPart::rowBytes() const
{
    return static_cast<std::uint64_t>(m_cols) * (1 + m_slots) * sizeof(float);
}

std::uint64_t StoredPart::changedBytes() const
{
    return m_isAllChanged
               ? m_memory.size() * sizeof(float)
               : static_cast<std::uint64_t>(m_changedRows) * (rowBytes() + sizeof(std::int32_t));
}

void StoredPart::takeChanges(int id, wire::Changes& changes, std::vector<std::byte>& payload)
{
    if (changedBytes() == 0) {
        return;
    }
    wire::Rows& rows = *changes.add_rows();
    rows.set_part(id);
    rows.set_count(m_isAllChanged ? -1 : m_changedRows);
    if (m_isAllChanged) {
        append(m_memory, payload);
        return clearMarks();
    }
    std::vector<std::int32_t> numbers;
    numbers.reserve(static_cast<std::size_t>(m_changedRows));
    for (std::size_t word = 0; word < m_bits.size(); ++word) {
        for (std::uint64_t bits = m_bits[word]; bits != 0; bits &= bits - 1) {
            numbers.push_back(static_cast<std::int32_t>(word) * static_cast<std::int32_t>(kBits) +
                              std::countr_zero(bits));
        }
    }
    const auto bytes = std::as_bytes(std::span(numbers));
    payload.insert(payload.end(), bytes.begin(), bytes.end());
    for (std::size_t from = 0; from < m_memory.size(); from += m_count) {
        for (const std::int32_t row : numbers) {
            append(std::span(m_memory).subspan(from + static_cast<std::size_t>(row * m_cols),
                                               static_cast<std::size_t>(m_cols)),
                   payload);
        }
    }
    clearMarks();
}

bool StoredPart::putChanges(const wire::Rows& rows, std::span<const std::byte>& payload)
{
    if (rows.count() < 0) {
        return takeFloats(payload, m_memory);
    }
    const auto count = static_cast<std::size_t>(rows.count());
    if (count > payload.size() / sizeof(std::int32_t)) {
        return false;
    }
    std::vector<std::int32_t> numbers(count);
    const auto bytes = std::as_writable_bytes(std::span(numbers));
    std::ranges::copy(payload.first(bytes.size()), bytes.begin());
    payload = payload.subspan(bytes.size());
    if (std::ranges::any_of(numbers,
                            [this](std::int64_t row) { return row < 0 || row >= this->rows(); })) {
        return false;
    }
    for (std::size_t from = 0; from < m_memory.size(); from += m_count) {
        for (const std::int32_t row : numbers) {
            if (!takeFloats(payload, std::span(m_memory).subspan(
                                         from + static_cast<std::size_t>(row * m_cols),
                                         static_cast<std::size_t>(m_cols)))) {
                return false;
            }
        }
    }
    return true;
}

} // namespace cannery::parameters
