#include "core/data/value_counter.h"

#include "core/base/fingerprint.h"
#include "core/data/keyed_permutation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace cannery::data {

namespace {

constexpr unsigned kRegisterBits = 14;
constexpr std::size_t kRegisters = std::size_t(1) << kRegisterBits;
constexpr std::size_t kKeptAfterOverflow = 1024;

} // namespace

ValueCounter::ValueCounter(std::size_t limit) : m_limit(limit) {}

void ValueCounter::addText(std::string_view text)
{
    m_isText = true;
    const std::uint64_t print = fingerprint64(text);
    add(print, print, text);
}

void ValueCounter::addBits(std::uint64_t bits)
{
    add(bits, mixBits(bits), {});
}

void ValueCounter::add(std::uint64_t key, std::uint64_t hash, std::string_view text)
{
    if (!isExact()) {
        registerHash(hash);
        CountTable::Slot* known = m_counts.find(key);
        known->count += known->count != 0 ? 1 : 0;
        return;
    }
    CountTable::Slot& slot = m_counts.at(key);
    if (slot.count++ == 0) {
        if (m_isText) {
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
            registerHash(m_isText ? slot.key : mixBits(slot.key));
            counts.push_back(slot.count);
            total += slot.count;
        }
    }
    const std::size_t kept = std::min(kKeptAfterOverflow, counts.size()) - 1;
    std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(kept),
                     counts.end(), std::greater<>());
    // What is no more frequent than chance would have it is not worth a look-up for every value.
    m_counts.keepFrom(std::max(counts[kept], 2 + total / 4096));
}

void ValueCounter::registerHash(std::uint64_t hash)
{
    const std::size_t index = hash >> (64U - kRegisterBits);
    const auto rank = static_cast<std::uint8_t>(
        1 + std::countl_zero(hash << kRegisterBits | std::uint64_t(1) << (kRegisterBits - 1)));
    m_registers[index] = std::max(m_registers[index], rank);
}

std::uint64_t ValueCounter::distinct() const
{
    if (isExact()) {
        return m_counts.size();
    }
    double inverse = 0;
    std::size_t empty = 0;
    for (const std::uint8_t rank : m_registers) {
        inverse += std::ldexp(1.0, -int(rank));
        empty += rank == 0 ? 1 : 0;
    }
    const double registers = static_cast<double>(kRegisters);
    const double estimate = 0.7213 / (1 + 1.079 / registers) * registers * registers / inverse;
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
