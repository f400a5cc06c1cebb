#include "core/data/keyed_permutation.h"

#include "core/base/check.h"

#include <algorithm>
#include <bit>

namespace cannery::data {

namespace {

constexpr unsigned kRounds = 8;

} // namespace

std::uint64_t mixBits(std::uint64_t value)
{
    value += 0x9E3779B97F4A7C15U;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
}

std::uint64_t permutationKey(std::uint64_t seed, std::uint64_t number)
{
    return mixBits(mixBits(seed) ^ mixBits(number + 0x632BE59BD9B4E019U));
}

KeyedPermutation::KeyedPermutation(std::int64_t size, std::uint64_t key)
    : m_size(static_cast<std::uint64_t>(size)), m_key(key)
{
    CANNERY_CHECK(size >= 0);
    const auto bits = static_cast<unsigned>(
        std::max<std::uint64_t>(2, std::bit_width(m_size <= 1 ? 0 : m_size - 1)));
    m_lowBits = bits / 2;
    m_highBits = bits - m_lowBits;
}

std::int64_t KeyedPermutation::operator()(std::int64_t position) const
{
    auto value = static_cast<std::uint64_t>(position);
    CANNERY_CHECK(value < m_size);
    do {
        value = scramble(value);
    } while (value >= m_size);
    return static_cast<std::int64_t>(value);
}

/// Both halves in turn are changed by a function of the other one, which can always be undone: a
/// permutation of [0, 2^bits) whatever the function.
std::uint64_t KeyedPermutation::scramble(std::uint64_t value) const
{
    const std::uint64_t lowMask = (std::uint64_t(1) << m_lowBits) - 1;
    const std::uint64_t highMask = (std::uint64_t(1) << m_highBits) - 1;
    std::uint64_t low = value & lowMask;
    std::uint64_t high = value >> m_lowBits;
    for (std::uint64_t round = 0; round < kRounds; round += 2) {
        low = (low + mixBits(m_key ^ mixBits(high + (round << 58U)))) & lowMask;
        high = (high + mixBits(m_key ^ mixBits(low + ((round + 1) << 58U)))) & highMask;
    }
    return high << m_lowBits | low;
}

} // namespace cannery::data
