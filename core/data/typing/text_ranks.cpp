// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/text_ranks.h"

#include "core/base/fingerprint.h"
#include "core/base/folded_case.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kTextsTooLong{
    "data.texts_too_long",
    "The column holds more than {} MiB of different texts, too many to sort. Filter the rows "
    "first, or sort by another column."};

/// Entries sorted or merged between two checks whether the work is stopped.
constexpr std::size_t kPart = std::size_t{1} << 17U;

std::uint64_t startOf(std::string_view text)
{
    std::uint64_t start = 0;
    std::memcpy(&start, text.data(), std::min(text.size(), sizeof(start)));
    // The first byte is the most significant, as in a comparison of texts.
    return __builtin_bswap64(start);
}

} // namespace

std::string_view TextRanks::textOf(std::uint32_t number) const
{
    const std::size_t begin = number == 0 ? 0 : m_ends[number - 1];
    return std::string_view(m_bytes).substr(begin, m_ends[number] - begin);
}

Result<std::uint64_t> TextRanks::add(std::string_view text)
{
    // At most half of the places are used, so that searches stay short.
    if (2 * (m_ends.size() + 1) > m_slots.size()) {
        grow();
    }
    // Case does not matter for the order.
    m_folded = foldedCase(text);
    const std::uint64_t hash = fingerprint64(m_folded) >> 32U;
    const std::size_t mask = m_slots.size() - 1;
    std::size_t slot = hash & mask;
    for (; m_slots[slot] != 0; slot = (slot + 1) & mask) {
        const auto number = static_cast<std::uint32_t>(m_slots[slot]) - 1;
        // Most differ in their hash already, without a look at the text.
        if (m_slots[slot] >> 32U == hash && textOf(number) == m_folded) {
            return number;
        }
    }
    if (m_bytes.size() + m_folded.size() > kMostBytes) {
        return fail(ErrorCode::ResourceExhausted, kTextsTooLong, kMostBytes >> 20U);
    }
    m_bytes += m_folded;
    m_ends.push_back(m_bytes.size());
    m_slots[slot] = hash << 32U | m_ends.size();
    return m_ends.size() - 1;
}

void TextRanks::grow()
{
    const std::size_t size = std::max<std::size_t>(64, 2 * m_slots.size());
    const std::vector<std::uint64_t> old = std::exchange(m_slots, std::vector<std::uint64_t>(size));
    for (const std::uint64_t entry : old) {
        std::size_t slot = entry >> 32U & (size - 1);
        while (entry != 0 && m_slots[slot] != 0) {
            slot = (slot + 1) & (size - 1);
        }
        m_slots[slot] = entry != 0 ? entry : m_slots[slot];
    }
}

bool TextRanks::isBefore(const Entry& left, const Entry& right) const
{
    // Most texts differ within eight bytes, which need no look at the text.
    if (left.start != right.start) {
        return left.start < right.start;
    }
    return textOf(left.number) < textOf(right.number);
}

Result<void> TextRanks::sortParts(std::vector<Entry>& entries, const BrowseWork& work) const
{
    const auto before = [this](const Entry& left, const Entry& right) {
        return isBefore(left, right);
    };
    const auto parts = static_cast<std::int64_t>((entries.size() + kPart - 1) / kPart);
    // Parts of equal size, so that the result does not depend on the number of threads.
    work.threads.runAll(parts, [&](std::int64_t part) {
        if (!work.stop.stop_requested()) {
            const std::size_t begin = static_cast<std::size_t>(part) * kPart;
            const std::size_t end = std::min(begin + kPart, entries.size());
            std::sort(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                      entries.begin() + static_cast<std::ptrdiff_t>(end), before);
        }
    });
    return merge(entries, work);
}

/// Merges neighbouring parts until one is left.
Result<void> TextRanks::merge(std::vector<Entry>& entries, const BrowseWork& work) const
{
    std::vector<Entry> merged(entries.size());
    for (std::size_t width = kPart; width < entries.size(); width *= 2) {
        work.progress({.step = BrowseStep::Sorting, .done = width, .total = entries.size()});
        for (std::size_t at = 0; at < entries.size();) {
            const std::size_t begin = at;
            // The last part may be short, or have no neighbour.
            const std::size_t middle = std::min(begin + width, entries.size());
            const std::size_t end = std::min(middle + width, entries.size());
            for (std::size_t left = begin, right = middle; at < end; ++at) {
                if (at % kPart == 0 && work.stop.stop_requested()) {
                    return fail(ErrorCode::Cancelled, kBrowseCancelled);
                }
                // The left one first if both are equal.
                const bool takesLeft =
                    left < middle && (right == end || !isBefore(entries[right], entries[left]));
                merged[at] = takesLeft ? entries[left++] : entries[right++];
            }
        }
        entries.swap(merged);
    }
    return {};
}

Result<std::vector<std::uint32_t>> TextRanks::ranks(const BrowseWork& work) &&
{
    work.progress({.step = BrowseStep::Sorting, .done = 0, .total = m_ends.size()});
    // No more texts are added, so their places can go.
    m_slots = {};
    std::vector<Entry> entries(m_ends.size());
    for (std::uint32_t number = 0; number < entries.size(); ++number) {
        entries[number] = {.start = startOf(textOf(number)), .number = number};
    }
    CANNERY_TRY(sortParts(entries, work));
    if (work.stop.stop_requested()) {
        return fail(ErrorCode::Cancelled, kBrowseCancelled);
    }
    std::vector<std::uint32_t> ranks(entries.size());
    for (std::uint32_t place = 0; place < entries.size(); ++place) {
        ranks[entries[place].number] = place;
    }
    return ranks;
}

} // namespace cannery::data
