// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/sparse_exchange.h"

#include "core/plan/lane.h"
#include "core/plan/sharding.h"

#include <cstring>

namespace cannery::strategies {

namespace {

constexpr ErrorKind kBytes{
    "strategies.sparse_bytes",
    "Another worker sent gradients that do not fit this model; run the same version of Cannery "
    "with the same experiment everywhere."};

template <typename T>
void append(std::vector<std::byte>& bytes, std::span<const T> values)
{
    const auto raw = std::as_bytes(values);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

template <typename T>
bool take(std::span<const std::byte>& bytes, std::span<T> values)
{
    if (bytes.size() < values.size_bytes()) {
        return false;
    }
    if (!values.empty()) {
        std::memcpy(values.data(), bytes.data(), values.size_bytes());
    }
    bytes = bytes.subspan(values.size_bytes());
    return true;
}

} // namespace

std::span<const std::byte> SparseExchange::pack(std::span<const plan::SparsePart> parts)
{
    m_packed.clear();
    for (const plan::SparsePart& part : parts) {
        const std::int64_t rows = part.gradient->rowCount();
        append(m_packed, std::span(&rows, 1));
        append(m_packed, std::span<const std::int32_t>(part.gradient->rows));
        append(m_packed, std::span<const float>(part.gradient->values));
    }
    return m_packed;
}

Result<void> SparseExchange::unpack(std::span<const std::byte> bytes,
                                    std::span<const plan::SparsePart> parts,
                                    std::vector<kernels::SparseGradient>& gradients) const
{
    gradients.resize(parts.size());
    for (std::size_t part = 0; part < parts.size(); ++part) {
        kernels::SparseGradient& gradient = gradients[part];
        std::int64_t rows = 0;
        const std::int64_t cols = parts[part].gradient->cols;
        if (!take(bytes, std::span(&rows, 1)) || rows < 0 || rows > parts[part].tableRows) {
            return fail(ErrorCode::DataLoss, kBytes);
        }
        gradient.cols = cols;
        gradient.rows.resize(static_cast<std::size_t>(rows));
        gradient.values.resize(static_cast<std::size_t>(rows * cols));
        if (!take(bytes, std::span<std::int32_t>(gradient.rows)) ||
            !take(bytes, std::span<float>(gradient.values))) {
            return fail(ErrorCode::DataLoss, kBytes);
        }
        for (const std::int32_t row : gradient.rows) {
            if (row < 0 || row >= parts[part].tableRows) {
                return fail(ErrorCode::DataLoss, kBytes);
            }
        }
    }
    return bytes.empty() ? Result<void>() : fail(ErrorCode::DataLoss, kBytes);
}

void SparseExchange::add(std::size_t first, std::size_t count,
                         std::span<const plan::SparsePart> parts)
{
    if (count < 2) {
        return;
    }
    const auto left = static_cast<std::size_t>(plan::leftPart(static_cast<std::int64_t>(count)));
    add(first, left, parts);
    add(first + left, count - left, parts);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        plan::addSparsePart({&m_gathered[first][part], parts[part].tableRows},
                            m_gathered[first + left][part], m_scratch, m_spare);
    }
}

Result<void> SparseExchange::sum(const std::vector<std::vector<std::byte>>& packed,
                                 std::span<const plan::SparsePart> parts)
{
    m_gathered.resize(packed.size());
    for (std::size_t rank = 0; rank < packed.size(); ++rank) {
        CANNERY_TRY(unpack(packed[rank], parts, m_gathered[rank]));
    }
    add(0, packed.size(), parts);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        std::swap(*parts[part].gradient, m_gathered.front()[part]);
    }
    return {};
}

} // namespace cannery::strategies
