// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/keyed_permutation.h"

#include "core/base/check.h"

#include <algorithm>
#include <array>
#include <bit>

namespace cannery::data {

namespace {

constexpr unsigned kRounds = 8;
constexpr std::size_t kBlock = 64;
/// Halves of more bits are not tabulated: the tables would leave the first cache.
constexpr unsigned kMostTabulatedBits = 11;

inline std::uint64_t mixed(std::uint64_t value)
{
    value += 0x9E3779B97F4A7C15U;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
}

} // namespace

std::uint64_t mixBits(std::uint64_t value)
{
    return mixed(value);
}

std::uint64_t permutationKey(std::uint64_t seed, std::uint64_t number)
{
    return mixBits(mixBits(seed) ^ mixBits(number + 0x632BE59BD9B4E019U));
}

KeyedPermutation::KeyedPermutation(std::int64_t size, std::uint64_t key)
    : m_size(static_cast<std::uint64_t>(size)), m_key(key)
{
    CANNERY_CHECK(size >= 0);
    // At least one bit for each half.
    const auto bits = static_cast<unsigned>(
        std::max<std::uint64_t>(2, std::bit_width(m_size <= 1 ? 0 : m_size - 1)));
    m_lowBits = bits / 2;
    // The permutation is of a power of two, at most four times the size.
    m_highBits = bits - m_lowBits;
}

std::int64_t KeyedPermutation::operator()(std::int64_t position) const
{
    auto value = static_cast<std::uint64_t>(position);
    CANNERY_CHECK(value < m_size);
    // Values outside the range are permuted again until they fall into it, which stays a
    // permutation.
    do {
        value = scramble(value);
    } while (value >= m_size);
    return static_cast<std::int64_t>(value);
}

/// What a round adds to one half, given the other.
std::uint64_t KeyedPermutation::change(std::uint64_t half, std::uint64_t round) const
{
    return mixed(m_key ^ mixed(half + (round << 58U)));
}

void KeyedPermutation::tabulate(std::uint64_t key)
{
    m_key = key;
    // Long halves are computed for every element.
    if (m_highBits > kMostTabulatedBits) {
        return;
    }
    // The higher half is never shorter, so its table fits both.
    const std::uint64_t halves = std::uint64_t(1) << m_highBits;
    m_changes.resize(kRounds * halves);
    for (std::uint64_t round = 0; round < kRounds; ++round) {
        for (std::uint64_t half = 0; half < halves; ++half) {
            m_changes[round * halves + half] = static_cast<std::uint16_t>(change(half, round));
        }
    }
}

void KeyedPermutation::fill(std::int64_t first, std::span<std::int64_t> elements) const
{
    CANNERY_CHECK(first >= 0 && static_cast<std::uint64_t>(first) + elements.size() <= m_size);
    std::array<std::uint64_t, kBlock> values;
    std::array<std::uint32_t, kBlock> places;
    for (std::size_t done = 0; done < elements.size(); done += kBlock) {
        // Full blocks, which the compiler can compute side by side.
        std::size_t count = std::min(kBlock, elements.size() - done);
        values.fill(0);
        for (std::size_t i = 0; i < count; ++i) {
            values[i] = static_cast<std::uint64_t>(first) + done + i;
            places[i] = static_cast<std::uint32_t>(i);
        }
        // Elements outside the range are walked on together, too.
        while (count > 0) {
            for (std::size_t lane = 0; lane < count; lane += kLanes) {
                const std::span<std::uint64_t, kLanes> some(values.data() + lane, kLanes);
                // The same values either way; tables are faster while they fit.
                m_changes.empty() ? scramble(some) : scrambleByTables(some);
            }
            std::size_t outside = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint64_t value = values[i];
                const std::uint32_t place = places[i];
                elements[done + place] = static_cast<std::int64_t>(value);
                values[outside] = value;
                places[outside] = place;
                // What is outside moves to the front, and goes through the rounds once more.
                outside += value >= m_size ? 1 : 0;
            }
            count = outside;
        }
    }
}

/// scramble() of each, interleaved.
void KeyedPermutation::scramble(std::span<std::uint64_t, kLanes> values) const
{
    const std::uint64_t lowMask = (std::uint64_t(1) << m_lowBits) - 1;
    const std::uint64_t highMask = (std::uint64_t(1) << m_highBits) - 1;
    std::array<std::uint64_t, kLanes> low;
    std::array<std::uint64_t, kLanes> high;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        low[lane] = values[lane] & lowMask;
        high[lane] = values[lane] >> m_lowBits;
    }
    for (std::uint64_t round = 0; round < kRounds; round += 2) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            low[lane] += change(high[lane], round);
            low[lane] &= lowMask;
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            high[lane] += change(low[lane], round + 1);
            high[lane] &= highMask;
        }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        values[lane] = high[lane] << m_lowBits | low[lane];
    }
}

void KeyedPermutation::scrambleByTables(std::span<std::uint64_t, kLanes> values) const
{
    const auto lowMask = static_cast<std::uint32_t>((std::uint64_t(1) << m_lowBits) - 1);
    const auto highMask = static_cast<std::uint32_t>((std::uint64_t(1) << m_highBits) - 1);
    const std::size_t halves = std::size_t(1) << m_highBits;
    std::array<std::uint32_t, kLanes> low;
    std::array<std::uint32_t, kLanes> high;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        low[lane] = static_cast<std::uint32_t>(values[lane]) & lowMask;
        high[lane] = static_cast<std::uint32_t>(values[lane] >> m_lowBits) & highMask;
    }
    const std::uint16_t* changes = m_changes.data();
    for (unsigned round = 0; round < kRounds; round += 2, changes += 2 * halves) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            low[lane] = (low[lane] + changes[high[lane]]) & lowMask;
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            high[lane] = (high[lane] + changes[halves + low[lane]]) & highMask;
        }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        values[lane] = std::uint64_t{high[lane]} << m_lowBits | low[lane];
    }
}

/// Each half in turn is changed by a function of the other, which can always be undone: a
/// permutation of [0, 2^bits) for any function.
std::uint64_t KeyedPermutation::scramble(std::uint64_t value) const
{
    const std::uint64_t lowMask = (std::uint64_t(1) << m_lowBits) - 1;
    const std::uint64_t highMask = (std::uint64_t(1) << m_highBits) - 1;
    std::uint64_t low = value & lowMask;
    std::uint64_t high = value >> m_lowBits;
    for (std::uint64_t round = 0; round < kRounds; round += 2) {
        low = (low + change(high, round)) & lowMask;
        high = (high + change(low, round + 1)) & highMask;
    }
    return high << m_lowBits | low;
}

} // namespace cannery::data
