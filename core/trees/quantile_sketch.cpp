// SPDX-License-Identifier: Apache-2.0
#include "core/trees/quantile_sketch.h"

#include <algorithm>
#include <cmath>

namespace cannery::trees {

/// The sizes of TensorFlow's WeightedQuantilesStream, whose methods this file follows step by step:
/// boundaries are to be the same floats.
QuantileSketch::QuantileSketch(float epsilon, std::int64_t mostValues)
    : m_epsilon(static_cast<double>(epsilon))
{
    // Grows until the levels hold all values that are to come.
    for (std::int64_t level = 1; (m_blockSize << level) < mostValues; ++level) {
        m_blockSize =
            static_cast<std::int64_t>(std::ceil(static_cast<double>(level) / m_epsilon)) + 1;
    }
    m_capacity = static_cast<std::size_t>(std::min(2 * m_blockSize, mostValues));
}

void QuantileSketch::add(float value, float weight)
{
    if (std::isnan(value) || !(weight > 0.0F)) {
        return;
    }
    m_buffer.push_back({.value = value, .weight = weight});
    if (m_buffer.size() >= m_capacity) {
        flush();
    }
}

void QuantileSketch::add(const QuantileSketch& finished)
{
    push(finished.m_whole);
}

/// The buffer becomes a summary: sorted, equal numbers as one.
void QuantileSketch::flush()
{
    std::ranges::stable_sort(m_buffer, {}, &Entry::value);
    Summary summary;
    for (const Entry& entry : m_buffer) {
        if (!summary.empty() && summary.back().value == entry.value) {
            summary.back().weight += entry.weight;
        } else {
            summary.push_back(entry);
        }
    }
    m_buffer.clear();
    // Without other values in between, the ranks of a sorted list are exact.
    float rank = 0.0F;
    for (Entry& entry : summary) {
        entry.minRank = rank;
        entry.maxRank = rank + entry.weight;
        rank += entry.weight;
    }
    push(std::move(summary));
}

/// As in a binary counter: a full level is compressed and carried up. What comes in is compressed
/// first.
void QuantileSketch::push(Summary summary)
{
    if (summary.empty()) {
        return;
    }
    compress(summary, m_blockSize, m_epsilon);
    for (std::size_t level = 0;; ++level) {
        if (m_levels.size() <= level) {
            m_levels.emplace_back();
        }
        Summary& current = m_levels[level];
        merge(summary, current);
        if (current.empty() || static_cast<std::int64_t>(summary.size()) <= m_blockSize + 1) {
            current = std::move(summary);
            return;
        }
        compress(summary, m_blockSize, m_epsilon);
        current.clear();
    }
}

void QuantileSketch::finish()
{
    flush();
    m_whole.clear();
    for (const Summary& level : m_levels) {
        merge(m_whole, level);
    }
    m_levels.clear();
}

void QuantileSketch::merge(Summary& summary, const Summary& other)
{
    if (other.empty() || summary.empty()) {
        summary = summary.empty() ? other : summary;
        return;
    }
    const Summary base = std::move(summary);
    summary = {};
    summary.reserve(base.size() + other.size());
    float nextBase = 0.0F;
    float nextOther = 0.0F;
    auto left = base.begin();
    auto right = other.begin();
    // Bounds of a rank after merging: at least what is below in both, at most what is not above in
    // either.
    const auto take = [&](const Entry& entry, float below, float above) {
        summary.push_back({.value = entry.value,
                           .weight = entry.weight,
                           .minRank = entry.minRank + below,
                           .maxRank = entry.maxRank + above});
        return entry.nextMin();
    };
    while (left != base.end() && right != other.end()) {
        if (left->value < right->value) {
            nextBase = take(*left, nextOther, right->previousMax());
            ++left;
        } else if (right->value < left->value) {
            nextOther = take(*right, nextBase, left->previousMax());
            ++right;
        } else {
            summary.push_back({.value = left->value,
                               .weight = left->weight + right->weight,
                               .minRank = left->minRank + right->minRank,
                               .maxRank = left->maxRank + right->maxRank});
            nextBase = left++->nextMin();
            nextOther = right++->nextMin();
        }
    }
    for (; left != base.end(); ++left) {
        take(*left, nextOther, other.back().maxRank);
    }
    for (; right != other.end(); ++right) {
        take(*right, nextBase, base.back().maxRank);
    }
}

/// Keeps the first and the last entry, and joins runs in between whose ranks are within the error;
/// the accumulator spreads the kept ones evenly.
void QuantileSketch::compress(Summary& summary, std::int64_t size, double epsilon)
{
    size = std::max<std::int64_t>(size, 2);
    const auto count = static_cast<std::int64_t>(summary.size());
    if (count <= size) {
        return;
    }
    // The error that a summary of this size must have, or the one that was asked for if it is
    // larger.
    const double error = static_cast<double>(summary.back().maxRank) *
                         std::max(1.0 / static_cast<double>(size), epsilon);
    std::int64_t accumulator = 0;
    std::size_t write = 1;
    std::size_t last = 1;
    for (std::size_t read = 0; read + 1 < summary.size();) {
        std::size_t next = read + 1;
        while (next < summary.size() && accumulator < count &&
               static_cast<double>(summary[next].previousMax() - summary[read].nextMin()) <=
                   error) {
            accumulator += size;
            ++next;
        }
        read = read == next - 1 ? read + 1 : next - 1;
        summary[write++] = summary[read];
        last = read;
        accumulator -= count;
    }
    if (last + 1 < summary.size()) {
        summary[write++] = summary.back();
    }
    summary.resize(write);
}

double QuantileSketch::errorOf(const Summary& summary)
{
    float gap = 0.0F;
    for (std::size_t i = 1; i < summary.size(); ++i) {
        gap = std::max({gap, summary[i].maxRank - summary[i].minRank - summary[i].weight,
                        summary[i].previousMax() - summary[i - 1].nextMin()});
    }
    return summary.empty() ? 0.0
                           : static_cast<double>(gap) / static_cast<double>(summary.back().maxRank);
}

std::vector<float> QuantileSketch::boundaries(std::int64_t count) const
{
    Summary summary = m_whole;
    const auto epsilon = static_cast<float>(errorOf(summary) + 1.0 / static_cast<double>(count));
    compress(summary, count, static_cast<double>(epsilon));
    // Compressing keeps to an error, not to a number: the closest neighbours go until enough are
    // left.
    while (static_cast<std::int64_t>(summary.size()) > std::max<std::int64_t>(count, 2)) {
        std::size_t smallest = 1;
        float least = 0.0F;
        for (std::size_t i = 1; i + 1 < summary.size(); ++i) {
            const float gap = summary[i + 1].previousMax() - summary[i - 1].nextMin();
            if (i == 1 || gap < least) {
                least = gap;
                smallest = i;
            }
        }
        summary.erase(summary.begin() + static_cast<std::ptrdiff_t>(smallest));
    }
    std::vector<float> values;
    for (const Entry& entry : summary) {
        // Equal numbers give one boundary.
        if (values.empty() || values.back() != entry.value) {
            values.push_back(entry.value);
        }
    }
    return values;
}

std::int32_t quantileBucket(float value, std::span<const float> boundaries)
{
    // Buckets are closed on the right, and the last one is open.
    const auto place = std::ranges::lower_bound(boundaries, value) - boundaries.begin();
    return static_cast<std::int32_t>(
        std::max<std::ptrdiff_t>(0, std::min(place, std::ssize(boundaries) - 1)));
}

} // namespace cannery::trees
