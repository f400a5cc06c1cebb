// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/curves/min_max_pyramid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::ui {
namespace {

constexpr qsizetype kFactor = 16;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Both running extremes of finite values; min > max means none.
struct Running
{
    float min = kInfinity;
    float max = -kInfinity;

    void takeValue(float value)
    {
        // False for NaN as well.
        if (std::fabs(value) <= std::numeric_limits<float>::max()) {
            min = std::min(min, value);
            max = std::max(max, value);
        }
    }
    void takeBlock(float low, float high)
    {
        min = std::min(min, low);
        max = std::max(max, high);
    }
};

} // namespace

void MinMaxPyramid::update(std::span<const float> values)
{
    const auto size = qsizetype(values.size());
    if (size < m_size) {
        clear();
    }
    if (size == m_size) {
        return;
    }
    // The last block may have been incomplete.
    qsizetype firstChanged = m_size / kFactor;
    const qsizetype blocks = (size + kFactor - 1) / kFactor;
    if (m_levels.empty()) {
        m_levels.emplace_back();
    }
    m_levels[0].resize(size_t(blocks));
    for (qsizetype block = firstChanged; block < blocks; ++block) {
        Running running;
        const qsizetype end = std::min(size, (block + 1) * kFactor);
        for (qsizetype i = block * kFactor; i < end; ++i) {
            running.takeValue(values[size_t(i)]);
        }
        m_levels[0][size_t(block)] = {running.min, running.max};
    }
    updateUpperLevels(firstChanged);
    m_size = size;
}

void MinMaxPyramid::updateUpperLevels(qsizetype firstChanged)
{
    for (size_t level = 1; m_levels[level - 1].size() > size_t(kFactor); ++level) {
        if (level == m_levels.size()) {
            m_levels.emplace_back();
        }
        const std::vector<Block>& below = m_levels[level - 1];
        const auto belowSize = qsizetype(below.size());
        firstChanged = std::min(firstChanged / kFactor, qsizetype(m_levels[level].size()));
        const qsizetype blocks = (belowSize + kFactor - 1) / kFactor;
        m_levels[level].resize(size_t(blocks));
        for (qsizetype block = firstChanged; block < blocks; ++block) {
            Running running;
            const qsizetype end = std::min(belowSize, (block + 1) * kFactor);
            for (qsizetype i = block * kFactor; i < end; ++i) {
                running.takeBlock(below[size_t(i)].min, below[size_t(i)].max);
            }
            m_levels[level][size_t(block)] = {running.min, running.max};
        }
    }
}

void MinMaxPyramid::clear()
{
    m_levels.clear();
    m_size = 0;
}

MinMaxPyramid::Extremes MinMaxPyramid::query(std::span<const float> values, qsizetype begin,
                                             qsizetype end) const
{
    begin = std::max<qsizetype>(begin, 0);
    end = std::min({end, m_size, qsizetype(values.size())});
    Running running;
    // Ragged ends value by value, then in increasingly large blocks.
    while (begin < end && begin % kFactor != 0) {
        running.takeValue(values[size_t(begin++)]);
    }
    while (begin < end && end % kFactor != 0) {
        running.takeValue(values[size_t(--end)]);
    }
    begin /= kFactor;
    end /= kFactor;
    for (size_t level = 0; begin < end; ++level) {
        const std::vector<Block>& blocks = m_levels[level];
        const bool isTop = level + 1 == m_levels.size();
        while (begin < end && (isTop || begin % kFactor != 0)) {
            running.takeBlock(blocks[size_t(begin)].min, blocks[size_t(begin)].max);
            ++begin;
        }
        while (begin < end && end % kFactor != 0) {
            --end;
            running.takeBlock(blocks[size_t(end)].min, blocks[size_t(end)].max);
        }
        begin /= kFactor;
        end /= kFactor;
    }
    if (running.min > running.max) {
        return {};
    }
    return {running.min, running.max, false};
}

} // namespace cannery::ui
