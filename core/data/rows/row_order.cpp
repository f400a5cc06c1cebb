// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace cannery::data {

namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;

std::uint64_t keyOf(std::int64_t value)
{
    // The sign bit is turned round, so that negative numbers come first.
    return std::bit_cast<std::uint64_t>(value) ^ kSign;
}

/// The bits of negative numbers descend. Both zeros are equal, and NaN comes after infinity.
std::uint64_t keyOf(double value)
{
    if (std::isnan(value)) {
        return ~std::uint64_t{0};
    }
    const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

/// Sorts by each byte of the keys, the lowest first; every pass is stable. Bytes that are the same
/// everywhere need no pass.
class RadixSort
{
public:
    RadixSort(std::vector<std::uint32_t>& rows, std::vector<std::uint64_t>& keys)
        : m_rows(rows), m_keys(keys), m_otherRows(rows.size()), m_otherKeys(rows.size())
    {}

    bool run(const BrowseWork& work)
    {
        for (unsigned byte = 0; byte < sizeof(std::uint64_t); ++byte) {
            work.progress({.step = BrowseStep::Sorting,
                           .done = byte * m_rows.size() / sizeof(std::uint64_t),
                           .total = m_rows.size()});
            if (work.stop.stop_requested()) {
                return false;
            }
            pass(byte * 8);
        }
        return true;
    }

private:
    void pass(unsigned shift)
    {
        // How often each byte occurs, and from that where its rows begin.
        std::array<std::size_t, 256> places{};
        for (const std::uint64_t key : m_keys) {
            ++places[key >> shift & 0xFFU];
        }
        if (std::find(places.begin(), places.end(), m_keys.size()) != places.end()) {
            return;
        }
        std::size_t begin = 0;
        for (std::size_t& place : places) {
            // Sums of the counts before it.
            begin += std::exchange(place, begin);
        }
        for (std::size_t i = 0; i < m_keys.size(); ++i) {
            // In the order in which they come: the pass is stable.
            const std::size_t place = places[m_keys[i] >> shift & 0xFFU]++;
            m_otherKeys[place] = m_keys[i];
            m_otherRows[place] = m_rows[i];
        }
        m_keys.swap(m_otherKeys);
        m_rows.swap(m_otherRows);
    }

    std::vector<std::uint32_t>& m_rows;
    std::vector<std::uint64_t>& m_keys;
    std::vector<std::uint32_t> m_otherRows;
    std::vector<std::uint64_t> m_otherKeys;
};

} // namespace

RowOrder RowOrder::descending() const
{
    RowOrder other;
    other.withValue = withValue;
    other.rows.reserve(rows.size());
    other.beginsValue.reserve(withValue);
    for (std::size_t end = withValue; end > 0;) {
        // Rows of equal values keep their order, as if sorted so.
        std::size_t begin = end - 1;
        while (begin > 0 && !beginsValue[begin]) {
            --begin;
        }
        for (std::size_t i = begin; i < end; ++i) {
            other.rows.push_back(rows[i]);
            other.beginsValue.push_back(i == begin);
        }
        end = begin;
    }
    // Missing values are at the end in both directions.
    other.rows.insert(other.rows.end(), rows.begin() + static_cast<std::ptrdiff_t>(withValue),
                      rows.end());
    return other;
}

Result<void> RowSorter::add(const storage::TableColumn& column, std::uint32_t firstRow,
                            const std::vector<std::uint8_t>& wanted)
{
    m_isText = column.dtype == DType::String;
    const auto addAll = [&](std::size_t rows, const auto& keyAt) -> Result<void> {
        for (std::size_t i = 0; i < rows; ++i) {
            if (!wanted.empty() && wanted[i] == 0) {
                continue;
            }
            const std::uint32_t row = firstRow + static_cast<std::uint32_t>(i);
            // They have no key, and come last.
            if (!column.isValid(i)) {
                m_missing.push_back(row);
                continue;
            }
            CANNERY_TRY_ASSIGN(const std::uint64_t key, keyAt(i));
            m_rows.push_back(row);
            m_keys.push_back(key);
        }
        return {};
    };
    if (m_isText) {
        const StringColumn& texts = column.strings();
        return addAll(texts.size(), [&](std::size_t i) { return m_texts.add(texts[i]); });
    }
    return std::visit(
        [&](const auto& values) -> Result<void> {
            if constexpr (std::is_same_v<std::decay_t<decltype(values)>, StringColumn>) {
                return {};
            } else {
                return addAll(values.size(), [&](std::size_t i) -> Result<std::uint64_t> {
                    return keyOf(values[i]);
                });
            }
        },
        column.values);
}

Result<RowOrder> RowSorter::sort(const BrowseWork& work) &&
{
    if (m_isText) {
        CANNERY_TRY_ASSIGN(const std::vector<std::uint32_t> ranks,
                           std::exchange(m_texts, {}).ranks(work));
        // Texts are sorted by their rank among all texts.
        for (std::uint64_t& key : m_keys) {
            key = ranks[static_cast<std::size_t>(key)];
        }
    }
    if (!RadixSort(m_rows, m_keys).run(work)) {
        return fail(ErrorCode::Cancelled, kBrowseCancelled);
    }
    RowOrder order;
    order.withValue = m_rows.size();
    order.beginsValue.resize(m_rows.size());
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        order.beginsValue[i] = i == 0 || m_keys[i] != m_keys[i - 1];
    }
    // Memory that is no longer needed goes before the rows are moved.
    m_keys = {};
    order.rows = std::move(m_rows);
    order.rows.insert(order.rows.end(), m_missing.begin(), m_missing.end());
    return order;
}

} // namespace cannery::data
