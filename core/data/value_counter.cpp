// SPDX-License-Identifier: Apache-2.0
#include "core/data/value_counter.h"

#include "core/base/fingerprint.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace cannery::data {

namespace {

constexpr unsigned kRegisterBits = 14;
constexpr std::size_t kRegisters = std::size_t(1) << kRegisterBits;
constexpr std::size_t kKeptAfterOverflow = 1024;
constexpr std::size_t kFilterWords = 256;

/// A number's bits, mixed so that every bit of the result depends on all of them (the finalizer of
/// MurmurHash3).
std::uint64_t spread(std::uint64_t bits)
{
    bits = (bits ^ bits >> 33U) * 0xFF51AFD7ED558CCDU;
    bits = (bits ^ bits >> 33U) * 0xC4CEB9FE1A85EC53U;
    return bits ^ bits >> 33U;
}

} // namespace

ValueCounter::ValueCounter(std::size_t limit) : m_limit(limit) {}

inline void ValueCounter::registerHash(std::uint64_t hash)
{
    // HyperLogLog: the first bits choose a register, the others make its rank.
    const std::size_t index = hash >> (64U - kRegisterBits);
    // A bit is set beyond the last, so that the rank is never more than there are bits.
    const auto rank = static_cast<std::uint8_t>(
        1 + std::countl_zero(hash << kRegisterBits | std::uint64_t(1) << (kRegisterBits - 1)));
    if (rank > m_registers[index]) { // rare once the registers have grown
        m_registers[index] = rank;
    }
}

inline void ValueCounter::addRoughly(std::uint64_t key, std::uint64_t hash)
{
    registerHash(hash);
    // Almost all values are none of the frequent ones, which this small filter finds out.
    if ((m_mayBeCounted[hash / 64 % kFilterWords] >> (hash % 64) & 1U) != 0) {
        CountTable::Slot* known = m_counts.find(key);
        known->count += known->count != 0 ? 1 : 0;
    }
}

void ValueCounter::addText(std::string_view text)
{
    m_isText = true;
    const std::uint64_t print = fingerprint64(text);
    if (isExact()) {
        addExactly(print, text);
    } else {
        // A text's fingerprint is mixed already.
        addRoughly(print, print);
    }
}

void ValueCounter::addAll(std::span<const std::uint64_t> bits)
{
    std::size_t i = 0;
    for (; i < bits.size() && isExact(); ++i) {
        addExactly(bits[i], {});
    }
    for (; i < bits.size(); ++i) {
        addRoughly(bits[i], spread(bits[i]));
    }
}

void ValueCounter::addExactly(std::uint64_t key, std::string_view text)
{
    CountTable::Slot& slot = m_counts.at(key);
    if (slot.count++ == 0) {
        if (m_isText) {
            // Texts are kept to be shown; their fingerprints count.
            slot.tag = m_texts.size();
            m_texts.push_back(text);
        }
        if (m_counts.size() > m_limit) {
            overflow();
        }
    }
}

void ValueCounter::overflow()
{
    m_registers.resize(kRegisters);
    std::vector<std::uint64_t> counts;
    std::uint64_t total = 0;
    for (const CountTable::Slot& slot : m_counts.slots()) {
        if (slot.count != 0) {
            // Values counted so far enter the registers, from which the number is estimated from
            // now on.
            registerHash(m_isText ? slot.key : spread(slot.key));
            counts.push_back(slot.count);
            total += slot.count;
        }
    }
    const std::size_t kept = std::min(kKeptAfterOverflow, counts.size()) - 1;
    std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(kept),
                     counts.end(), std::greater<>());
    // Values no more frequent than chance are not worth a look-up for every value.
    m_counts.keepFrom(std::max(counts[kept], 2 + total / 4096));
    m_mayBeCounted.resize(kFilterWords);
    for (const CountTable::Slot& slot : m_counts.slots()) {
        if (slot.count != 0) {
            const std::uint64_t hash = m_isText ? slot.key : spread(slot.key);
            m_mayBeCounted[hash / 64 % kFilterWords] |= std::uint64_t(1) << (hash % 64);
        }
    }
}

std::uint64_t ValueCounter::distinct() const
{
    if (isExact()) {
        // As long as every value is kept, their number is exact.
        return m_counts.size();
    }
    double inverse = 0;
    std::size_t empty = 0;
    for (const std::uint8_t rank : m_registers) {
        inverse += std::ldexp(1.0, -int(rank));
        empty += rank == 0 ? 1 : 0;
    }
    const double registers = static_cast<double>(kRegisters);
    // The constant of HyperLogLog for this many registers.
    const double estimate = 0.7213 / (1 + 1.079 / registers) * registers * registers / inverse;
    // Few values leave registers empty, whose number is the better estimate.
    const bool isSmall = estimate < 2.5 * registers && empty > 0;
    return static_cast<std::uint64_t>(
        isSmall ? registers * std::log(registers / static_cast<double>(empty)) : estimate);
}

std::vector<ValueCounter::Count> ValueCounter::counts() const
{
    std::vector<Count> list;
    for (const CountTable::Slot& slot : m_counts.slots()) {
        if (slot.count != 0) {
            list.push_back(
                {slot.key, m_isText ? std::string(m_texts[slot.tag]) : std::string(), slot.count});
        }
    }
    return list;
}

} // namespace cannery::data
