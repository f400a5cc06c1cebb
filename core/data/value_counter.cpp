#include "core/data/value_counter.h"

#include "core/base/fingerprint.h"
#include "core/data/keyed_permutation.h"

#include <algorithm>
#include <bit>
#include <cmath>

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
        const auto known = m_entries.empty() ? m_entries.end() : m_entries.find(key);
        if (known != m_entries.end()) {
            ++known->second.count;
        }
        return;
    }
    Entry& entry = m_entries[key];
    if (entry.count++ == 0) {
        entry.text = text;
        if (m_entries.size() > m_limit) {
            overflow();
        }
    }
}

void ValueCounter::overflow()
{
    m_registers.resize(kRegisters);
    std::vector<std::uint64_t> counts;
    for (const auto& [key, entry] : m_entries) {
        registerHash(m_isText ? key : mixBits(key));
        counts.push_back(entry.count);
    }
    const std::size_t kept = std::min(kKeptAfterOverflow, counts.size()) - 1;
    std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(kept),
                     counts.end(), std::greater<>());
    const std::uint64_t least = std::max<std::uint64_t>(2, counts[kept]);
    std::erase_if(m_entries, [&](const auto& row) { return row.second.count < least; });
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
        return m_entries.size();
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
    list.reserve(m_entries.size());
    for (const auto& [key, entry] : m_entries) {
        list.push_back({key, entry.text, entry.count});
    }
    return list;
}

} // namespace cannery::data
